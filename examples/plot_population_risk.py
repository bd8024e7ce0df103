"""
What does a sample change about risk?
=====================================

The prosecutor knows that a person is in the table: the risk is one over the size of the
class. The journalist has a register of the population and does not know who is in the
table: the risk is one over the persons of the population behind the class. Here Adult
is the population, and samples of it are published. How far are the two risks apart?
"""

import matplotlib.pyplot as plt
import numpy as np

from anon_transformers import Classes, MondrianAnonymizer
from anon_transformers.datasets import load_adult
from anon_transformers.metrics import journalist_risk, prosecutor_risk

columns = ["age", "sex", "race", "education"]
population = load_adult()[columns]

# %%
# The rule that was learned on the sample recodes the population: that tells how many
# persons are behind each published combination.

shares = [0.05, 0.1, 0.2, 0.4, 0.7, 1.0]
risks = {"prosecutor": [], "journalist": []}
for share in shares:
    sample = population.sample(frac=share, random_state=0)
    mondrian = MondrianAnonymizer(k=5)
    published = mondrian.fit_transform(sample)
    classes = Classes.from_frame(
        published, columns, population=mondrian.transform(population)
    )
    risks["prosecutor"].append(prosecutor_risk(classes).average)
    risks["journalist"].append(journalist_risk(classes).average)

# %%
# The smaller the sample, the more people of the population might be meant, and the
# lower the risk by an intruder who does not know who was sampled. For one who does
# know, a small sample protects nobody: take the prosecutor's risk unless the sample is
# secret.

figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
for name, risk in risks.items():
    axes.plot(100 * np.array(shares), 100 * np.array(risk), "o-", label=name)
axes.axhline(20, color="grey", ls=":", label="highest risk at k = 5")
axes.set(xlabel="share of the population that is published, in %", ylim=(0, None))
axes.set(ylabel="average risk, in %", title="Risk of two intruders at k = 5")
axes.legend()
plt.show()
