# Writes daisy.csv from daisy_table.csv: Gower dissimilarities by R's cluster package. In this folder: Rscript daisy.R
# The numbers beside it are those of R 4.2.2, cluster 2.1.4.
library(cluster)
t <- read.csv("daisy_table.csv", na.strings = "", stringsAsFactors = TRUE)
t$stage <- factor(t$stage, c("I", "II", "III", "IV"), ordered = TRUE)
t$smoker <- t$smoker == "True"
t$fever <- t$fever == "True"
gower <- function(table, weights = 1, ...) {
  type <- c(list(...), list(symm = setdiff(c("smoker", "fever"), list(...)$asymm)))
  as.vector(daisy(table, "gower", type = type[lengths(type) > 0], weights = weights))
}
w <- c(age = 2, crp = 0.7, rank = 1, ward = 3, stage = 0, smoker = 1.5, fever = 0.1)
stopifnot(identical(names(w), names(t)))
out <- data.frame(
  plain = gower(t),
  asymmetric = gower(t, asymm = c("smoker", "fever")),
  weighted = gower(t, w),
  logratio = gower(t, logratio = c("age", "crp")),
  ordratio = gower(t, ordratio = "rank"),
  ordered = gower(t, ordratio = "stage"),
  all = gower(t, w, asymm = "fever", logratio = "crp", ordratio = "rank")
)
write.csv(format(out, digits = 15), "daisy.csv", row.names = FALSE, quote = FALSE)
