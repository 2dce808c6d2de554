# Writes daisy_iris.csv: Gower dissimilarities of every third iris by R's cluster package. In this folder: Rscript daisy_iris.R
# The numbers beside it are those of R 4.2.2, cluster 2.1.4.
library(cluster)
rows <- seq(1, 150, 3)
D <- as.matrix(daisy(iris[rows, 1:4], "gower"))
colnames(D) <- rownames(D) <- rows
write.csv(round(D, 6), "daisy_iris.csv")
