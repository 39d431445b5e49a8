//! Definitions of the macros: names, parameters and body.

/// A macro's names and its parameters, separated by spaces, and its body.
type Definition = (&'static str, &'static str, &'static str);

/// Macros of values.
pub(super) const SCALARS: &[Definition] = &[
    // conditions
    ("if iff", "c a b", "CASE WHEN c THEN a ELSE b END"),
    ("if iff", "c a", "CASE WHEN c THEN a END"),
    ("constant_or_null", "a b", "CASE WHEN b IS NOT NULL THEN a END"),
    // arithmetic
    ("add", "a b", "a + b"),
    ("subtract", "a b", "a - b"),
    ("multiply", "a b", "a * b"),
    ("divide", "a b", "a / b"),
    ("ceiling", "a", "ceil(a)"),
    ("greatest_common_divisor", "a b", "gcd(a, b)"),
    ("least_common_multiple", "a b", "lcm(a, b)"),
    // times
    ("epoch", "t", "CAST(date_part('epoch', t) AS DOUBLE)"),
    ("year", "t", "date_part('year', t)"),
    ("quarter", "t", "date_part('quarter', t)"),
    ("month", "t", "date_part('month', t)"),
    ("week weekofyear", "t", "date_part('week', t)"),
    ("day dayofmonth", "t", "date_part('day', t)"),
    ("hour", "t", "date_part('hour', t)"),
    ("minute", "t", "date_part('minute', t)"),
    ("second", "t", "CAST(floor(date_part('second', t)) AS BIGINT)"),
    ("millisecond", "t", "CAST(floor(date_part('millisecond', t)) AS BIGINT)"),
    ("microsecond", "t", "date_part('microsecond', t)"),
    ("nanosecond", "t", "date_part('nanosecond', t)"),
    ("dayofweek weekday", "t", "date_part('dow', t)"),
    ("dayofyear", "t", "date_part('doy', t)"),
    ("today", "", "current_date"),
    ("get_current_timestamp transaction_timestamp", "", "now()"),
    ("monthname", "t", "strftime(t, '%B')"),
    ("dayname", "t", "strftime(t, '%A')"),
    ("date_add", "a b", "a + b"),
    ("age", "t", "age(CAST(current_date AS TIMESTAMP), t)"),
    ("ago", "i", "now() - i"),
    // texts
    ("editdist3", "a b", "levenshtein(a, b)"),
    // lists
    ("list_cat array_cat", "a b", "array_concat(a, b)"),
    ("list_indexof array_indexof", "a b", "array_position(a, b)"),
    ("list_string_agg", "l s", "CASE WHEN list_count(l) > 0 THEN array_to_string(l, s) END"),
    ("list_string_agg", "l", "CASE WHEN list_count(l) > 0 THEN array_to_string(l, ',') END"),
    ("list_sort array_sort", "l", "array_sort(l, 'ASC', 'NULLS LAST')"),
    ("list_sort array_sort", "l o", "array_sort(l, o, 'NULLS LAST')"),
    ("list_any_value", "l", "array_any_value(l)"),
    ("list_inner_product list_dot_product array_dot_product", "a b", "inner_product(a, b)"),
    ("list_negative_inner_product list_negative_dot_product", "a b", "-inner_product(a, b)"),
    ("array_negative_inner_product array_negative_dot_product", "a b", "-inner_product(a, b)"),
    ("list_cosine_distance array_cosine_distance", "a b", "cosine_distance(a, b)"),
    ("list_cosine_similarity array_cosine_similarity", "a b", "1 - cosine_distance(a, b)"),
    ("array_push_back", "l e", "array_append(l, e)"),
    ("array_push_front", "l e", "array_prepend(e, l)"),
    ("list_prepend array_prepend", "e l", "array_prepend(e, l)"),
    // structs and maps
    ("struct_extract", "s k", "s[k]"),
    ("map_contains", "m k", "array_has(map_keys(m), k)"),
    ("map_contains_value", "m v", "array_has(map_values(m), v)"),
    ("map_extract_value", "m k", "m[k]"),
    // others
    ("uuidv4 gen_random_uuid", "", "uuid()"),
    ("current_database current_catalog", "", "'memory'"),
    ("current_schema", "", "'main'"),
];

/// Macros of aggregates: FILTER and OVER of a call are those of the aggregates in the body.
pub(super) const AGGREGATES: &[Definition] = &[
    (
        "arg_max argmax max_by",
        "x y",
        "first_value(x ORDER BY y DESC NULLS LAST) FILTER (WHERE x IS NOT NULL AND y IS NOT NULL)",
    ),
    (
        "arg_min argmin min_by",
        "x y",
        "first_value(x ORDER BY y ASC NULLS LAST) FILTER (WHERE x IS NOT NULL AND y IS NOT NULL)",
    ),
    ("arg_max_null", "x y", "first_value(x ORDER BY y DESC NULLS LAST) FILTER (WHERE y IS NOT NULL)"),
    ("arg_min_null", "x y", "first_value(x ORDER BY y ASC NULLS LAST) FILTER (WHERE y IS NOT NULL)"),
    ("any_value", "x", "first_value(x) FILTER (WHERE x IS NOT NULL)"),
    ("first arbitrary", "x", "first_value(x)"),
    ("last", "x", "last_value(x)"),
    ("count_if countif", "c", "count(*) FILTER (WHERE c)"),
    ("count_star", "", "count(*)"),
    ("geomean geometric_mean", "x", "exp(avg(ln(x)))"),
    ("fsum sumkahan kahan_sum", "x", "sum(CAST(x AS DOUBLE))"),
    ("favg", "x", "avg(CAST(x AS DOUBLE))"),
    ("sum_no_overflow", "x", "sum(x)"),
    ("sem", "x", "stddev_pop(x) / sqrt(count(x))"),
    (
        "weighted_avg wavg",
        "x w",
        "sum(CAST(x AS DOUBLE) * w) / nullif(sum(CAST(w AS DOUBLE)) FILTER (WHERE x IS NOT NULL), 0)",
    ),
    ("approx_count_distinct", "x", "approx_distinct(x)"),
    ("approx_quantile reservoir_quantile", "x q", "approx_percentile_cont(q) WITHIN GROUP (ORDER BY x)"),
    ("list", "x", "array_agg(x)"),
    ("group_concat listagg string_agg", "x", "string_agg(x, ',')"),
    ("group_concat listagg", "x s", "string_agg(x, s)"),
    ("max", "x n", "array_slice(array_agg(x ORDER BY x DESC) FILTER (WHERE x IS NOT NULL), 1, n)"),
    ("min", "x n", "array_slice(array_agg(x ORDER BY x ASC) FILTER (WHERE x IS NOT NULL), 1, n)"),
    (
        "arg_max argmax max_by",
        "x y n",
        "array_slice(array_agg(x ORDER BY y DESC NULLS LAST) \
         FILTER (WHERE x IS NOT NULL AND y IS NOT NULL), 1, n)",
    ),
    (
        "arg_min argmin min_by",
        "x y n",
        "array_slice(array_agg(x ORDER BY y ASC NULLS LAST) \
         FILTER (WHERE x IS NOT NULL AND y IS NOT NULL), 1, n)",
    ),
];

/// The aggregates that bodies call.
pub(super) const AGGREGATES_IN_BODIES: &[&str] = &[
    "first_value",
    "last_value",
    "count",
    "avg",
    "sum",
    "stddev_pop",
    "approx_distinct",
    "approx_percentile_cont",
    "array_agg",
    "string_agg",
];

/// Functions of DuckDB and of other databases that are missing, and the form to write in their
/// place.
pub(super) const MISSING: &[(&str, &str)] = &[
    ("getdate sysdate curdate", "now() or current_date"),
    ("isnull", "coalesce(a, b), or a IS NULL"),
    ("dateadd", "a date + INTERVAL '1 day'"),
    ("to_number", "CAST(text AS DECIMAL(18, 2))"),
    ("charindex locate", "instr(text, part)"),
    ("hash", "md5(CAST(value AS VARCHAR)) or sha256"),
    ("approx_top_k", "mode(x), or GROUP BY x ORDER BY count(*) DESC LIMIT k"),
    ("alias", "the name itself"),
    ("setseed", "TABLESAMPLE bernoulli(10%) REPEATABLE (42)"),
    ("regexp_split_to_table", "unnest(string_split_regex(text, pattern))"),
    ("struct_insert struct_update struct_concat", "{'a': s.a, 'b': value}"),
    ("struct_keys struct_values struct_extract_at", "the fields by name: s.a"),
    ("map_concat", "map(array_concat(map_keys(a), map_keys(b)), array_concat(map_values(a), map_values(b)))"),
    ("union_value union_tag union_extract", "a struct with a field for each type: {'a': 1, 'b': NULL}"),
    ("current_setting getvariable", "SHOW ALL"),
    ("histogram_exact equi_width_bins", "GROUP BY floor(x / width)"),
    ("bitstring bitstring_agg get_bit set_bit bit_position", "whole numbers: (n >> bit) & 1"),
    ("switch", "CASE x WHEN 1 THEN 'a' ELSE 'b' END"),
    (
        "json_extract json_extract_string json_value json_array_length json_type json_valid json_keys json_object \
         json_array json_group_array json_group_object json_structure json_contains json_merge_patch to_json \
         row_to_json array_to_json from_json json_transform json_each json_tree",
        "read_json('file.json') for JSON files, whose fields are columns, structs and lists",
    ),
    ("enum_code enum_first enum_last enum_range", "texts in place of an ENUM"),
    ("uuidv7 uuid_extract_version uuid_extract_timestamp", "uuid()"),
    ("st_point st_distance st_area st_contains", "columns of numbers: there are no geometries"),
];
