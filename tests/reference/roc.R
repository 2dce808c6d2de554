# Writes roc.csv, roc_curve.csv and confusion.csv from the data in ../../data: ROC analysis by R's pROC, confusion tables by caret.
# In this folder: Rscript roc.R. The numbers beside it are those of R 4.2.2, pROC 1.18.0, caret 6.0-93.
suppressMessages({library(pROC); library(caret)})
read <- function(name) read.csv(file.path("..", "..", "data", paste0(name, ".csv")), stringsAsFactors = TRUE)
iris <- droplevels(subset(read("iris"), species != "setosa"))
sets <- list(  # the class, and two columns that it is to be told by: many ties, unequal classes, many rows
  iris = with(iris, list(y = species == "virginica", a = petal_length, b = sepal_width)),
  wine = with(read("wine"), list(y = cultivar == "cultivar 1", a = alcohol, b = magnesium)),
  breast_cancer = with(read("breast_cancer"), list(y = diagnosis == "malignant", a = mean_texture, b = mean_smoothness))
)
curve <- function(y, score) roc(y, score, levels = c(FALSE, TRUE), direction = "<", quiet = TRUE)
out <- do.call(rbind, lapply(names(sets), function(name) {
  s <- sets[[name]]
  a <- curve(s$y, s$a); b <- curve(s$y, s$b)
  paired <- roc.test(a, b, method = "delong", paired = TRUE)
  odd <- seq_along(s$y) %% 2 == 1  # two halves of the rows, which are others
  unpaired <- suppressWarnings(roc.test(curve(s$y[odd], s$a[odd]), curve(s$y[!odd], s$b[!odd]), method = "delong", paired = FALSE))
  ends <- lapply(list(a, b), function(r) as.numeric(ci.auc(r, method = "delong")))
  values <- c(
    auc_a = as.numeric(a$auc), se_a = sqrt(var(a)), low_a = ends[[1]][1], high_a = ends[[1]][3],
    auc_b = as.numeric(b$auc), se_b = sqrt(var(b)), low_b = ends[[2]][1], high_b = ends[[2]][3],
    covariance = cov(a, b), z = unname(paired$statistic), p = paired$p.value,
    difference_low = paired$conf.int[1], difference_high = paired$conf.int[2],
    t_unpaired = unname(unpaired$statistic), df_unpaired = unname(unpaired$parameter), p_unpaired = unpaired$p.value
  )
  data.frame(set = name, quantity = names(values), value = format(values, digits = 15, trim = TRUE))
}))
write.csv(out, "roc.csv", row.names = FALSE, quote = FALSE)
points <- do.call(rbind, lapply(names(sets), function(name) {
  found <- coords(curve(sets[[name]]$y, sets[[name]]$b), "all", transpose = FALSE, ret = c("specificity", "sensitivity", "ppv", "npv"))
  data.frame(set = name, format(found, digits = 15, trim = TRUE))
}))
write.csv(points, "roc_curve.csv", row.names = FALSE, quote = FALSE)
told <- list(  # cuts of a column tell the classes
  iris = with(read("iris"), list(truth = species, cut(petal_length, c(-Inf, 2.45, 4.65, Inf)))),
  wine = with(read("wine"), list(truth = cultivar, cut(proline, c(Inf, 760, 560, -Inf)))),
  breast_cancer = with(read("breast_cancer"), list(truth = diagnosis, cut(mean_radius, c(Inf, 15, -Inf))))
)
order_of <- list(iris = 1:3, wine = c(2, 3, 1), breast_cancer = 1:2)  # the class of each range, from the lowest
confusion <- do.call(rbind, lapply(names(told), function(name) {
  truth <- told[[name]]$truth
  predicted <- factor(levels(truth)[order_of[[name]][as.integer(told[[name]][[2]])]], levels(truth))
  rows <- lapply(levels(truth), function(positive) {
    found <- if (nlevels(truth) == 2) confusionMatrix(predicted, truth, positive = positive)$byClass
             else confusionMatrix(predicted, truth)$byClass[paste("Class:", positive), ]
    data.frame(set = name, class = positive, quantity = names(found), value = format(unname(found), digits = 15, trim = TRUE))
  })
  all <- confusionMatrix(predicted, truth)$overall
  rbind(do.call(rbind, rows), data.frame(set = name, class = "all", quantity = names(all), value = format(unname(all), digits = 15, trim = TRUE)))
}))
write.csv(confusion, "confusion.csv", row.names = FALSE, quote = FALSE)
