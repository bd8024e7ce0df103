"""
A graph before and after
========================

Friendships in a karate club, and what is published so that at least three members have
each number of friends. What changes, and what does an intruder find before and after?
"""

from io import BytesIO

import matplotlib.pyplot as plt
import networkx as nx

from anon_transformers_graphs import (
    KDegreeAnonymizer,
    compare_graphs,
    degree_attack,
    draw_before_after,
)

club = nx.karate_club_graph()

# %%
# ``reduce=True`` says that weights and labels of the club are left out knowingly.
# ``keep_mapping=True`` keeps who is who, which is private: the picture and the attack
# below are for those who hold both graphs.

anonymizer = KDegreeAnonymizer(k=3, reduce=True, keep_mapping=True, random_state=0)
published = anonymizer.fit_transform(club)
who = anonymizer.mapping_

raw = degree_attack(club, original=club)
after = degree_attack(published, original=club, mapping=who)
print(f"found by their number of friends: {raw.expected_share:.0%} of the members,")
print(f"in the published graph: {after.expected_share:.0%}")

# %%
# The structure of the club stays much as it was.

measures = compare_graphs(club, published, mapping=who).measures()
print(measures.loc[["n_edges", "average_distance", "diameter", "transitivity"]])

# %%
# Edges that are gone are red on the left, new ones are green on the right.

picture = plt.imread(BytesIO(draw_before_after(club, published, mapping=who)))
figure, axes = plt.subplots(figsize=(10, 3.3), layout="constrained")
axes.imshow(picture)
axes.set_axis_off()
plt.show()
