//! Queries with every operator that buffers rows.

/// Each has rows that depend on all of its input.
pub const ALL: [&str; 49] = [
    // joins without equal keys
    "SELECT count(*), count(t), sum(x), sum(y) FROM l LEFT JOIN r ON x > y AND x < y + 3",
    "SELECT count(*), count(t), sum(x), sum(y) FROM l JOIN r ON x > y AND x < y + 3",
    "SELECT count(*), count(t), sum(x), sum(y) FROM l RIGHT JOIN r ON x > y + 2900",
    "SELECT count(*), count(t), count(s), sum(x) FROM l FULL JOIN r ON x > y + 2900",
    "SELECT count(*), count(t), sum(x), sum(y) FROM r LEFT JOIN l ON x > y + 2900",
    "SELECT count(*), sum(x), min(s) FROM l WHERE EXISTS (SELECT 1 FROM r WHERE x > y + 2900)",
    "SELECT count(*), sum(x), min(s) FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE x > y + 2900)",
    "SELECT count(*), sum(y), min(t) FROM r WHERE EXISTS (SELECT 1 FROM l WHERE x > y + 2900)",
    "SELECT count(*), sum(y), min(t) FROM r WHERE NOT EXISTS (SELECT 1 FROM l WHERE x > y + 2900)",
    "SELECT count(*), sum(x), min(s) FROM l WHERE x < 9 OR EXISTS (SELECT 1 FROM r WHERE x > y + 2900)",
    "SELECT count(*), sum(y), min(t) FROM r WHERE y < 99 OR EXISTS (SELECT 1 FROM l WHERE x > y + 2900)",
    "SELECT count(*), sum(z), max(t) FROM (SELECT y, t FROM r WHERE y < 90) RIGHT JOIN wide ON z < y",
    "SELECT count(*), sum(z), max(t) FROM (SELECT y, t FROM r WHERE y < 90) LEFT JOIN wide ON z < y - 50",
    "SELECT count(*), max(t) FROM r WHERE NOT EXISTS (SELECT 1 FROM wide WHERE z < y - 900 AND z > y - 903)",
    // with more than a scan below them
    "SELECT count(*), sum(b.y) FROM (SELECT x, max(s) AS s FROM l GROUP BY x) a \
     LEFT JOIN (SELECT y, max(t) AS t FROM r GROUP BY y) b ON x < y AND y < x + 12",
    "SELECT count(*), sum(x), sum(y), min(s) FROM (SELECT x, s FROM l ORDER BY x DESC LIMIT 400) a \
     LEFT JOIN (SELECT y, t FROM r ORDER BY y LIMIT 290) b ON x < y",
    "SELECT count(*), sum(a.x), max(b.t) FROM (SELECT x, s FROM l JOIN r ON x = y) a \
     RIGHT JOIN (SELECT y, t FROM r JOIN l ON x = y + 1) b ON a.x < b.y",
    "SELECT count(*), sum(a.x), max(b.t) FROM (SELECT x, s FROM l JOIN r ON x < y - 2950) a LEFT JOIN r b ON a.x > b.y",
    "SELECT count(*), sum(x), max(t) FROM (SELECT x, s FROM l UNION ALL SELECT x + 1, s FROM l) a LEFT JOIN r ON x = y * 2",
    "SELECT count(*), sum(k), max(m), max(t) FROM (SELECT k, max(w) AS m FROM facts GROUP BY k HAVING max(w) > 'w58') \
     LEFT JOIN (SELECT y, t FROM r WHERE y < 1000) ON k < y",
    "SELECT count(*), sum(k), max(m), max(t) FROM (SELECT v AS k, w AS m FROM facts ORDER BY v DESC LIMIT 3000) \
     RIGHT JOIN (SELECT y, max(t) AS t FROM r GROUP BY y) ON k % 3000 > y AND k % 3000 < y + 9",
    "SELECT count(*), sum(y), max(t) FROM r WHERE NOT EXISTS (SELECT 1 FROM \
     (SELECT a.k, b.w FROM facts a JOIN facts b ON a.k = b.k + 1 WHERE a.v < 9000) WHERE k > y AND k < y + 40)",
    "SELECT count(*), sum(k), max(w), max(t) FROM (SELECT k, w, row_number() OVER (PARTITION BY g ORDER BY v) AS n \
     FROM facts) JOIN (SELECT y, t FROM r ORDER BY y LIMIT 60) ON k < y WHERE n < 40",
    // joins with equal keys
    "SELECT count(*), max(t), max(s) FROM l, r WHERE x % 100 = 0",
    "SELECT count(*), sum(x), max(t), max(s) FROM l LEFT JOIN r ON x = y",
    "SELECT count(*), sum(x), max(t), max(s) FROM l JOIN r ON x = y AND length(s) < length(t)",
    "SELECT count(*), sum(x), max(t), max(s) FROM l FULL JOIN r ON x = y + 5",
    "SELECT count(*), sum(x), max(t), max(s) FROM r RIGHT JOIN l ON x = y AND x < 500",
    "SELECT count(*), sum(x), max(s) FROM l WHERE x IN (SELECT y FROM r)",
    "SELECT count(*), sum(x), max(s) FROM l WHERE x NOT IN (SELECT y FROM r)",
    "SELECT count(*), sum(x), max(s) FROM l WHERE x < 7 OR x IN (SELECT y FROM r)",
    "SELECT count(*), sum(a.v), max(b.w) FROM facts a JOIN facts b ON a.k = b.k AND a.v < b.v",
    // aggregates
    "SELECT g, count(*), sum(v), min(w), max(w) FROM facts GROUP BY g",
    "SELECT count(*), sum(c), max(m) FROM (SELECT k, count(*) AS c, max(w) AS m FROM facts GROUP BY k)",
    "SELECT count(*), sum(c) FROM (SELECT w, k, count(*) AS c FROM facts GROUP BY w, k)",
    "SELECT count(DISTINCT w), count(DISTINCT k), count(DISTINCT g) FROM facts",
    "SELECT g, k % 3, count(*), sum(v) FROM facts GROUP BY ROLLUP (g, k % 3)",
    "SELECT count(*) FROM (SELECT s FROM l UNION SELECT t FROM r)",
    "SELECT count(*) FROM (SELECT k, w FROM facts EXCEPT SELECT k, w FROM facts WHERE v < 500000)",
    "SELECT count(*) FROM (SELECT k, w FROM facts INTERSECT SELECT k, w FROM facts WHERE v < 500000)",
    // sorts and windows
    "SELECT k, v, w FROM facts ORDER BY w, v OFFSET 139980",
    "SELECT k, v, w FROM facts ORDER BY w, v LIMIT 10 OFFSET 120000",
    "SELECT x, s FROM l ORDER BY s DESC LIMIT 20",
    "SELECT x, s, t FROM l LEFT JOIN r ON x = y ORDER BY s DESC, x OFFSET 2980",
    "SELECT sum(r * (v % 7)) FROM (SELECT v, row_number() OVER (ORDER BY v) AS r FROM facts)",
    "SELECT sum(r) FROM (SELECT rank() OVER (PARTITION BY g ORDER BY v) AS r FROM facts)",
    "SELECT sum(q) FROM (SELECT sum(v) OVER (PARTITION BY k ORDER BY v ROWS 3 PRECEDING) AS q FROM facts)",
    // recursive queries
    "WITH RECURSIVE c(n, s) AS (SELECT x, s FROM l WHERE x < 5 UNION ALL \
     SELECT n + 100, l.s FROM c JOIN l ON x > n AND x < n + 3 WHERE n < 900) SELECT count(*), sum(n), max(s) FROM c",
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 50) \
     SELECT count(*), sum(n), max(t) FROM c LEFT JOIN r ON y < n",
];
