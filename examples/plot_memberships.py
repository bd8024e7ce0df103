"""
What do Low, Medium and High mean?
==================================

A fuzzy partition that you draw: a shoulder, a triangle and another shoulder, each at
its full height over one number. A person between two of them belongs to both. How many
people are published under each name?
"""

import matplotlib.pyplot as plt
import numpy as np

from anon_transformers.datasets import load_adult
from anon_transformers.fuzzy import FuzzyPartition, FuzzyPartitionRecoder

ages = load_adult()[["age"]]

# %%
# The sets are full at three quantiles of the ages. Names follow from their number.

peaks = np.quantile(ages["age"], [0.1, 0.5, 0.9])
partition = FuzzyPartition.from_peaks(peaks)
recoder = FuzzyPartitionRecoder(["age"], partitions={"age": partition}, k=100)
shown = recoder.fit_transform(ages)["age"].value_counts()
print(shown.to_string())

# %%
# Each person is published under the name of the set in which the degree is largest.

figure, (above, below) = plt.subplots(
    2, 1, figsize=(7.5, 5), layout="constrained", sharex=True
)
numbers = np.linspace(ages["age"].min(), ages["age"].max(), 500)
for name, degrees in zip(partition.names, partition.degrees(numbers).T, strict=True):
    above.plot(numbers, degrees, label=f"{name}: {shown[name]:,} people")
above.set(ylabel="degree")
above.legend(loc="center right")
below.hist(ages["age"], bins=np.arange(17, 92), color="lightgrey")
below.set(xlabel="age", ylabel="people")
plt.show()
