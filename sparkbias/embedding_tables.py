"""The contracts of models, of their vectors and of what is measured in them."""

from sparkbias.table import STUDY_COLUMNS, STUDY_SLICE, Table

# A model is a slice of its own: it is trained, replaced and skipped as one. The id is unique in a
# warehouse and made from what it names: study~corpus~period~variant~model~subsample~seed-1.
_MODEL_SLICE = (*STUDY_SLICE, "model_id")
_MODEL_COUNTS = ("n_documents", "n_tokens", "n_effective_tokens", "n_words")
_MODEL_SETTINGS = ("size", "window", "epochs", "n_threads")

MODELS = Table(
    "gold",
    "models",
    one_row_is="one trained or loaded model: how it was made, from how much text, and the reason "
    "if it failed",
    columns=STUDY_COLUMNS
    | dict.fromkeys("model_id model trainer version algorithm settings".split(), "string")
    | dict.fromkeys(_MODEL_SETTINGS, "int")
    | {"subsample": "string", "seed": "bigint"}
    | dict.fromkeys(_MODEL_COUNTS, "bigint")
    | {"costs": "array<double>", "status": "string", "reason": "string"},
    key=_MODEL_SLICE,
    slice_by=_MODEL_SLICE,
    partitioned_by=("study", "corpus"),
    nullable=frozenset({*_MODEL_SETTINGS, *_MODEL_COUNTS, "seed", "costs", "reason"}),
    checks={
        "status is known": "status IN ('trained', 'loaded', 'failed')",
        "a failure has a reason": "(status = 'failed') = (reason IS NOT NULL)",
        "a model has words": "status = 'failed' OR coalesce(n_words > 0 AND size > 0, false)",
        "counts are not negative": " AND ".join(
            f"coalesce({name} >= 0, true)" for name in (*_MODEL_COUNTS, "seed")
        ),
    },
)

WORD_VECTORS = Table(
    "gold",
    "word_vectors",
    one_row_is="one word of one model; word_id is the study's, in a loaded model the word's place",
    columns=STUDY_COLUMNS
    | {"model_id": "string", "word_id": "int", "word": "string", "vector": "array<float>"},
    key=(*_MODEL_SLICE, "word_id"),
    slice_by=_MODEL_SLICE,
    # Hundreds of models: one must be read and replaced without opening the files of the others.
    partitioned_by=("study", "corpus", "model_id"),
    checks={
        "every number is finite": "size(vector) > 0 AND forall(vector, x -> abs(x) < 3.4e38)",
        "word is not empty": "word <> ''",
    },
)

_SPREAD = tuple("bias se_documents se_seeds se df lower upper".split())
_NULL = ("null_mean", "null_sd")

EMBEDDING_SCORES = Table(
    "gold",
    "embedding_scores",
    one_row_is="one word, one contrast, one measure, over the models of one name and text; bias is "
    "positive towards pole A",
    columns=STUDY_COLUMNS
    | dict.fromkeys(("model", "measure", "contrast"), "string")
    | {"word_id": "int", "word": "string", "n": "bigint"}
    | dict.fromkeys(_SPREAD, "double")
    | {"n_models": "int", "n_samples": "int"}
    | dict.fromkeys(_NULL, "double")
    | {"is_within_null": "boolean", "pole_words": "array<string>"}
    | {"similarities": "array<double>", "flags": "array<string>"},
    key=(*STUDY_SLICE, "model", "measure", "contrast", "word_id"),
    slice_by=STUDY_SLICE,
    partitioned_by=("study", "corpus"),
    nullable=frozenset({*_SPREAD, *_NULL, "is_within_null"}),
    checks={
        "no number is NaN": " AND ".join(
            f"NOT isnan(coalesce({name}, 0))" for name in (*_SPREAD, *_NULL)
        ),
        "a bias is a difference of cosines": "coalesce(bias BETWEEN -2 AND 2, true)",
        "no bias only with a reason": "(bias IS NULL) = "
        "arrays_overlap(flags, array('empty_pole', 'zero_vector'))",
        "an interval or the flag": "(se IS NULL) = (lower IS NULL) AND (se IS NULL) = "
        "arrays_overlap(flags, array('no_interval', 'empty_pole', 'zero_vector'))",
        "a similarity for each pole word": "size(similarities) = size(pole_words)",
        "within the null only beside one": "is_within_null IS NULL "
        "OR (null_mean IS NOT NULL AND null_sd IS NOT NULL AND bias IS NOT NULL)",
    },
)

_TEST_FIGURES = (
    "statistic mean_difference effect_size p_value p_value_two_sided p_matched_sets q_value "
    "smallest_p"
).split()

WEAT_SCORES = Table(
    "gold",
    "weat_scores",
    one_row_is="one test (WEAT) on one model, or the reason why it could not be done; words found "
    "and missing by list, as JSON",
    columns=STUDY_COLUMNS
    | dict.fromkeys(("model_id", "test", "query"), "string")
    | dict.fromkeys(_TEST_FIGURES, "double")
    | {"method": "string", "n_permutations": "bigint", "p_is_valid": "boolean", "preset": "string"}
    | dict.fromkeys(("found_words", "missing_words"), "string")
    | {"flags": "array<string>", "reason": "string"},
    key=(*_MODEL_SLICE, "test"),
    slice_by=_MODEL_SLICE,
    partitioned_by=("study", "corpus"),
    nullable=frozenset(
        {*_TEST_FIGURES, "method", "n_permutations", "p_is_valid", "preset", "reason"}
    ),
    checks={
        "no number is NaN": " AND ".join(
            f"NOT isnan(coalesce({name}, 0))" for name in _TEST_FIGURES
        ),
        "an effect size or a reason": "(effect_size IS NULL) = (reason IS NOT NULL)",
        "p is a share": "coalesce(p_value BETWEEN 0 AND 1, true)",
    },
)
