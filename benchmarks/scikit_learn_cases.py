"""The models of `benchmarks.scikit_learn`: every estimator that skl2onnx converts, LightGBM and XGBoost.

A case says which estimator it takes, and of which data it learns: kinds of features and of targets.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Any, cast

from benchmarks.scikit_learn_data import TRAINED, Case


def _of(path: str, **given: Any) -> Any:
    """An estimator of the class that `module.Class` names, in scikit-learn or in the package of a leading `:`."""
    module, _, name = path.rpartition(".")
    package = module.removeprefix(":") if module.startswith(":") else f"sklearn.{module}"
    return getattr(import_module(package), name)(**{key: _made(value) for key, value in given.items()})


def _made(value: Any) -> Any:
    """An argument, or the estimators in it, each a function that makes one."""
    if isinstance(value, partial):
        return cast("partial[Any]", value)()
    if isinstance(value, list):
        return [_made(each) for each in cast("list[Any]", value)]
    return tuple(map(_made, cast("tuple[Any, ...]", value))) if isinstance(value, tuple) else value


def _cases(
    module: str,
    classes: str,
    targets: Sequence[str] = ("",),
    said: str = "",
    features: str = "normal",
    *,
    fit: Mapping[str, Any] = MappingProxyType({}),
    **given: Any,
) -> list[Case]:
    """A case for each of these classes of a module and each kind of targets; `said` are arguments as names tell them,
    and `fit` are arguments of the method. A module of scikit-learn, or of the package behind a colon."""
    package = module[1:].partition(".")[0] if module.startswith(":") else "sklearn"
    found: list[Case] = []
    for name in classes.split():
        for kind in targets:
            of_targets = f"{kind} classes" if kind.isdigit() else _NAMES.get(kind, "")
            title = ", ".join(filter(None, (name, said, of_targets if len(targets) > 1 else "")))
            found.append(Case(title, partial(_of, f"{module}.{name}", **given), kind, features, fit, package))
    return found


_NAMES = {
    "numbers": "three targets",
    "labels": "three labels",
    "text": "text",
    "two texts": "two texts",
    "two": "2 classes",
    "three": "3 classes",
}
CLASSES = ("2", "3")
NUMBER = ("number",)
NUMBERS = ("number", "numbers")
_TREE = partial(_of, "tree.DecisionTreeClassifier", max_depth=4, random_state=0)
_LOGISTIC = partial(_of, "linear_model.LogisticRegression")
_RIDGE = partial(_of, "linear_model.Ridge")
_STUMP = partial(_of, "tree.DecisionTreeRegressor", max_depth=3, random_state=0)
_BAYES = partial(_of, "naive_bayes.GaussianNB")
_SCALER = partial(_of, "preprocessing.StandardScaler")
_PCA = partial(_of, "decomposition.PCA", n_components=3)

LINEAR = [
    *_cases("linear_model", "LogisticRegression", (*CLASSES, "two texts", "text")),
    *_cases("linear_model", "LogisticRegressionCV", CLASSES, Cs=3, cv=3),
    *_cases("linear_model", "RidgeClassifier RidgeClassifierCV Perceptron", CLASSES),
    *_cases("discriminant_analysis", "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis", CLASSES),
    *_cases("linear_model", "PassiveAggressiveClassifier", CLASSES, random_state=0),
    *_cases("linear_model", "SGDClassifier", CLASSES, "hinge", random_state=0),
    *_cases("linear_model", "SGDClassifier", CLASSES, "log_loss", loss="log_loss", random_state=0),
    *_cases("linear_model", "SGDClassifier", CLASSES, "modified_huber", loss="modified_huber", random_state=0),
    *_cases(
        "linear_model",
        "LinearRegression Ridge RidgeCV Lasso ElasticNet Lars LassoLars OrthogonalMatchingPursuit",
        NUMBERS,
    ),
    *_cases(
        "linear_model",
        "ARDRegression BayesianRidge ElasticNetCV HuberRegressor LarsCV "
        "LassoCV LassoLarsCV LassoLarsIC OrthogonalMatchingPursuitCV QuantileRegressor",
        NUMBER,
    ),
    *_cases(
        "linear_model",
        "PassiveAggressiveRegressor SGDRegressor TheilSenRegressor RANSACRegressor",
        NUMBER,
        random_state=0,
    ),
    *_cases("linear_model", "MultiTaskElasticNet MultiTaskElasticNetCV MultiTaskLasso MultiTaskLassoCV", ("numbers",)),
    *_cases("linear_model", "GammaRegressor PoissonRegressor", ("positive",)),
    *_cases("linear_model", "TweedieRegressor", ("positive",), "power 1.5", power=1.5),
    *_cases("linear_model", "TweedieRegressor", ("number",)),
    *_cases("linear_model", "SGDOneClassSVM", random_state=0),
]
MACHINES = [
    case
    for kernel in ("linear", "poly", "rbf", "sigmoid")
    for case in (
        *_cases("svm", "SVC", CLASSES, kernel, kernel=kernel),
        *_cases("svm", "SVR NuSVR OneClassSVM", NUMBER, kernel, kernel=kernel),
    )
] + [
    *_cases("svm", "SVC", CLASSES, "probability", probability=True, random_state=0),
    *_cases("svm", "SVC", CLASSES, "one against one", decision_function_shape="ovo"),
    *_cases("svm", "SVC", ("text",), "labels of text"),
    *_cases("svm", "NuSVC", CLASSES, "rbf", nu=0.3),
    *_cases("svm", "NuSVC", CLASSES, "probability", nu=0.3, probability=True, random_state=0),
    *_cases("svm", "LinearSVC", CLASSES, random_state=0),
    *_cases("svm", "LinearSVR", NUMBER, random_state=0),
]
TREES = [
    *_cases("tree", "DecisionTreeClassifier ExtraTreeClassifier", (*CLASSES, "labels"), max_depth=5, random_state=0),
    *_cases("tree", "DecisionTreeRegressor ExtraTreeRegressor", NUMBERS, max_depth=5, random_state=0),
    *_cases(
        "ensemble",
        "RandomForestClassifier ExtraTreesClassifier",
        (*CLASSES, "labels"),
        n_estimators=5,
        max_depth=5,
        random_state=0,
    ),
    *_cases(
        "ensemble", "RandomForestClassifier", ("text",), "labels of text", n_estimators=5, max_depth=5, random_state=0
    ),
    *_cases(
        "ensemble", "RandomForestRegressor ExtraTreesRegressor", NUMBERS, n_estimators=5, max_depth=5, random_state=0
    ),
    *_cases("ensemble", "GradientBoostingClassifier", CLASSES, n_estimators=5, random_state=0),
    *_cases("ensemble", "GradientBoostingRegressor", NUMBER, n_estimators=5, random_state=0),
    *_cases(
        "ensemble", "HistGradientBoostingClassifier", CLASSES, "missing values", "holes", max_iter=5, random_state=0
    ),
    *_cases("ensemble", "HistGradientBoostingRegressor", NUMBER, "missing values", "holes", max_iter=5, random_state=0),
    *_cases(
        "ensemble",
        "HistGradientBoostingRegressor",
        NUMBER,
        "categories",
        "category",
        max_iter=5,
        categorical_features=[0],
        random_state=0,
    ),
    *_cases(
        "ensemble",
        "HistGradientBoostingRegressor",
        ("positive",),
        "poisson",
        loss="poisson",
        max_iter=5,
        random_state=0,
    ),
    *_cases("ensemble", "IsolationForest", n_estimators=5, max_samples=32, random_state=0),
    *_cases("ensemble", "RandomTreesEmbedding", n_estimators=3, max_depth=3, random_state=0),
]
ENSEMBLES = [
    *_cases("ensemble", "AdaBoostClassifier", CLASSES, n_estimators=4, random_state=0),
    *_cases("ensemble", "AdaBoostRegressor", NUMBER, n_estimators=4, random_state=0),
    *_cases("ensemble", "BaggingClassifier", CLASSES, n_estimators=4, max_features=4, random_state=0, estimator=_TREE),
    *_cases("ensemble", "BaggingRegressor", NUMBER, n_estimators=4, max_features=4, random_state=0, estimator=_RIDGE),
    *_cases(
        "ensemble",
        "VotingClassifier",
        CLASSES,
        "soft",
        voting="soft",
        flatten_transform=False,
        estimators=[("a", _LOGISTIC), ("b", _TREE)],
    ),
    *_cases(
        "ensemble",
        "VotingClassifier",
        CLASSES,
        "hard",
        flatten_transform=False,
        estimators=[("a", _LOGISTIC), ("b", _TREE), ("c", _BAYES)],
    ),
    *_cases("ensemble", "VotingRegressor", NUMBER, estimators=[("a", _RIDGE), ("b", _STUMP)]),
    *_cases("ensemble", "StackingClassifier", CLASSES, estimators=[("a", _LOGISTIC), ("b", _TREE)]),
    *_cases("ensemble", "StackingRegressor", NUMBER, estimators=[("a", _RIDGE), ("b", _STUMP)]),
    *_cases("calibration", "CalibratedClassifierCV", CLASSES, "sigmoid", estimator=_TREE),
    *_cases("calibration", "CalibratedClassifierCV", CLASSES, "isotonic", method="isotonic", estimator=_TREE),
    *_cases("model_selection", "TunedThresholdClassifierCV", ("2",), estimator=_LOGISTIC),
    *_cases("model_selection", "GridSearchCV", CLASSES, estimator=_TREE, param_grid={"max_depth": [2, 4]}),
    *_cases("multiclass", "OneVsRestClassifier", (*CLASSES, "labels"), estimator=_LOGISTIC),
    *_cases("multiclass", "OneVsOneClassifier", CLASSES, estimator=_LOGISTIC),
    *_cases("multioutput", "MultiOutputClassifier", ("labels",), estimator=_LOGISTIC),
    *_cases("multioutput", "MultiOutputRegressor", ("numbers",), estimator=_STUMP),
]
BAYES_AND_NETWORKS = [
    *_cases("naive_bayes", "GaussianNB", (*CLASSES, "text")),
    *_cases("naive_bayes", "BernoulliNB", CLASSES),
    *_cases("naive_bayes", "MultinomialNB ComplementNB CategoricalNB", CLASSES, features="counts"),
    *_cases(
        "neural_network", "MLPClassifier", (*CLASSES, "labels"), hidden_layer_sizes=(8,), max_iter=50, random_state=0
    ),
    *_cases("neural_network", "MLPRegressor", NUMBERS, hidden_layer_sizes=(8,), max_iter=50, random_state=0),
    *_cases(
        "neural_network",
        "MLPRegressor",
        NUMBER,
        "tanh",
        activation="tanh",
        hidden_layer_sizes=(8,),
        max_iter=50,
        random_state=0,
    ),
    *_cases(
        "neural_network",
        "MLPRegressor",
        NUMBER,
        "logistic",
        activation="logistic",
        hidden_layer_sizes=(8,),
        max_iter=50,
        random_state=0,
    ),
    *_cases("gaussian_process", "GaussianProcessClassifier", CLASSES, random_state=0),
    *_cases("gaussian_process", "GaussianProcessRegressor", NUMBERS, alpha=0.1),
    *_cases("mixture", "GaussianMixture BayesianGaussianMixture", n_components=3, random_state=0),
    *_cases("mixture", "GaussianMixture", said="tied", covariance_type="tied", n_components=3, random_state=0),
    *_cases("mixture", "GaussianMixture", said="diag", covariance_type="diag", n_components=3, random_state=0),
    *_cases(
        "mixture", "GaussianMixture", said="spherical", covariance_type="spherical", n_components=3, random_state=0
    ),
    *_cases("cluster", "KMeans MiniBatchKMeans", n_clusters=4, n_init=3, random_state=0),
]
NEIGHBOURS = [
    *_cases("neighbors", "KNeighborsClassifier", (*CLASSES, "labels"), n_neighbors=3),
    *_cases("neighbors", "KNeighborsClassifier", ("3",), "weights by distance", n_neighbors=3, weights="distance"),
    *_cases("neighbors", "KNeighborsRegressor", NUMBERS, n_neighbors=3),
    *_cases("neighbors", "KNeighborsRegressor", NUMBER, "manhattan", n_neighbors=3, metric="manhattan"),
    *_cases("neighbors", "KNeighborsTransformer", n_neighbors=3),
    *_cases("neighbors", "NearestNeighbors", n_neighbors=3, radius=None),
    *_cases("neighbors", "RadiusNeighborsClassifier", CLASSES, radius=3.5, outlier_label=3),
    *_cases("neighbors", "RadiusNeighborsRegressor", NUMBER, radius=3.5),
    *_cases("neighbors", "LocalOutlierFactor", novelty=True, n_neighbors=5),
    *_cases("neighbors", "NeighborhoodComponentsAnalysis", ("3",), n_components=2, random_state=0),
    *_cases("impute", "KNNImputer", features="holes", n_neighbors=3),
]
_FIRST, _LAST = [0, 1, 2], [3, 4, 5]
TRANSFORMERS = [
    *_cases(
        "preprocessing",
        "StandardScaler MinMaxScaler MaxAbsScaler RobustScaler "
        "PolynomialFeatures Binarizer PowerTransformer FunctionTransformer",
    ),
    *_cases("preprocessing", "Normalizer", said="l1", norm="l1"),
    *_cases("preprocessing", "Normalizer", said="l2"),
    *_cases("preprocessing", "Normalizer", said="max", norm="max"),
    *_cases("preprocessing", "PolynomialFeatures", said="degree 3", degree=3, interaction_only=True),
    *_cases("preprocessing", "PowerTransformer", said="box-cox", features="positive", method="box-cox"),
    *_cases("preprocessing", "QuantileTransformer", n_quantiles=20),
    *_cases("preprocessing", "QuantileTransformer", said="normal", n_quantiles=20, output_distribution="normal"),
    *_cases(
        "preprocessing", "KBinsDiscretizer", said="one hot", n_bins=4, encode="onehot-dense", quantile_method="linear"
    ),
    *_cases("preprocessing", "KBinsDiscretizer", said="ordinal", n_bins=4, encode="ordinal", quantile_method="linear"),
    *_cases("preprocessing", "OneHotEncoder OrdinalEncoder", features="categories"),
    *_cases("preprocessing", "OneHotEncoder", said="drop first", features="categories", drop="first"),
    *_cases("preprocessing", "TargetEncoder", NUMBER, features="categories", random_state=0),
    *_cases("preprocessing", "LabelEncoder LabelBinarizer", features="column"),
    *_cases("preprocessing", "KernelCenterer", features="kernel"),
    *_cases("impute", "SimpleImputer", features="holes"),
    *_cases("impute", "SimpleImputer", said="most frequent", features="holes", strategy="most_frequent"),
    *_cases("decomposition", "PCA TruncatedSVD IncrementalPCA", n_components=3),
    *_cases("decomposition", "PCA", said="whiten", n_components=3, whiten=True),
    *_cases("decomposition", "KernelPCA", said="rbf", n_components=3, kernel="rbf"),
    *_cases("decomposition", "KernelPCA", said="poly", n_components=3, kernel="poly"),
    *_cases("cross_decomposition", "PLSRegression", NUMBERS),
    *_cases("random_projection", "GaussianRandomProjection", n_components=3, random_state=0),
    *_cases("feature_selection", "SelectKBest", ("3",), k=3),
    *_cases("feature_selection", "SelectPercentile", ("3",), percentile=50),
    *_cases("feature_selection", "SelectFpr SelectFdr SelectFwe", ("3",), alpha=0.9),
    *_cases("feature_selection", "GenericUnivariateSelect", ("3",), mode="k_best", param=2),
    *_cases("feature_selection", "VarianceThreshold"),
    *_cases("feature_selection", "SelectFromModel", ("3",), threshold="median", estimator=_LOGISTIC),
    *_cases("feature_selection", "RFE RFECV", ("3",), estimator=_LOGISTIC),
    *_cases("feature_extraction.text", "TfidfTransformer", features="counts"),
    *_cases("pipeline", "Pipeline", CLASSES, steps=[("scale", _SCALER), ("pca", _PCA), ("classes", _LOGISTIC)]),
    *_cases("pipeline", "FeatureUnion", transformer_list=[("scale", _SCALER), ("pca", _PCA)]),
    *_cases("compose", "ColumnTransformer", transformers=[("a", _SCALER, _FIRST), ("b", _PCA, _LAST)]),
    *_cases(
        "compose",
        "ColumnTransformer",
        said="rest passes through",
        transformers=[("a", _SCALER, _FIRST)],
        remainder="passthrough",
    ),
    *_cases(":skl2onnx.sklapi", "CastTransformer ReplaceTransformer"),
    *_cases(":skl2onnx.sklapi", "CastRegressor", NUMBER, estimator=_RIDGE),
]
_TEN_BY_TEN = {"group": [10] * (TRAINED // 10)}
BOOSTED = [
    *_cases(":lightgbm", "LGBMClassifier", (*CLASSES, "text"), n_estimators=5, max_depth=4, verbose=-1),
    *_cases(":lightgbm", "LGBMRegressor", NUMBER, n_estimators=5, max_depth=4, verbose=-1),
    *_cases(
        ":lightgbm",
        "LGBMRegressor",
        NUMBER,
        "rf",
        boosting_type="rf",
        bagging_freq=1,
        bagging_fraction=0.7,
        n_estimators=5,
        verbose=-1,
    ),
    *_cases(":lightgbm", "LGBMRegressor", NUMBER, "dart", boosting_type="dart", n_estimators=5, verbose=-1),
    *_cases(":lightgbm", "LGBMRegressor", NUMBER, "missing values", "holes", n_estimators=5, verbose=-1),
    *_cases(
        ":lightgbm",
        "LGBMRegressor",
        NUMBER,
        "categories",
        "category",
        fit={"categorical_feature": [0]},
        n_estimators=5,
        min_child_samples=5,
        verbose=-1,
    ),
    *_cases(":lightgbm", "LGBMRegressor", ("positive",), "poisson", objective="poisson", n_estimators=5, verbose=-1),
    *_cases(":lightgbm", "LGBMRanker", ("rank",), fit=_TEN_BY_TEN, n_estimators=5, verbose=-1),
    *_cases(":xgboost", "XGBClassifier", ("two", "three"), n_estimators=5, max_depth=4),
    *_cases(":xgboost", "XGBRegressor", NUMBER, n_estimators=5, max_depth=4),
    *_cases(":xgboost", "XGBRegressor", NUMBER, "missing values", "holes", n_estimators=5, max_depth=4),
    *_cases(":xgboost", "XGBRegressor", NUMBER, "dart", booster="dart", n_estimators=5, max_depth=4),
    *_cases(":xgboost", "XGBRegressor", NUMBER, "gblinear", booster="gblinear", n_estimators=5),
    *_cases(
        ":xgboost", "XGBRegressor", ("positive",), "poisson", objective="count:poisson", n_estimators=5, max_depth=4
    ),
    *_cases(":xgboost", "XGBRFRegressor", NUMBER, n_estimators=5, max_depth=4),
    *_cases(":xgboost", "XGBRFClassifier", ("two", "three"), n_estimators=5, max_depth=4),
    *_cases(":xgboost", "XGBRanker", ("rank",), fit=_TEN_BY_TEN, n_estimators=5, max_depth=4),
]
CASES: Mapping[str, Case] = {
    case.name: case
    for case in [*LINEAR, *MACHINES, *TREES, *ENSEMBLES, *BAYES_AND_NETWORKS, *NEIGHBOURS, *TRANSFORMERS, *BOOSTED]
}
