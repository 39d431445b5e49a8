-- Window functions over the tables of TPC-H. Each query is followed by an empty line; its first line
-- names it. An aggregate reads every value, so that no engine leaves a window out or is timed for
-- printing rows.

-- running sum
SELECT count(*), sum(v) FROM (SELECT sum(l_quantity) OVER (PARTITION BY l_suppkey ORDER BY l_shipdate, l_orderkey, l_linenumber
 ROWS UNBOUNDED PRECEDING) AS v FROM lineitem)

-- rank
SELECT count(*), sum(v) FROM (SELECT rank() OVER (PARTITION BY l_suppkey ORDER BY l_extendedprice) AS v FROM lineitem)

-- moving average, 3 rows
SELECT count(*), sum(v) FROM (SELECT avg(l_extendedprice) OVER (PARTITION BY l_suppkey ORDER BY l_shipdate, l_orderkey, l_linenumber
 ROWS 2 PRECEDING) AS v FROM lineitem)

-- moving sum, 201 rows
SELECT count(*), sum(v) FROM (SELECT sum(l_quantity) OVER (PARTITION BY l_suppkey ORDER BY l_shipdate, l_orderkey, l_linenumber
 ROWS BETWEEN 100 PRECEDING AND 100 FOLLOWING) AS v FROM lineitem)

-- moving sum of doubles
SELECT count(*), sum(v) FROM (SELECT sum(CAST(l_quantity AS DOUBLE)) OVER (PARTITION BY l_suppkey ORDER BY l_shipdate, l_orderkey,
 l_linenumber ROWS 20 PRECEDING) AS v FROM lineitem)

-- moving min and max
SELECT count(*), sum(w - v) FROM (SELECT min(l_extendedprice) OVER s AS v, max(l_extendedprice) OVER s AS w FROM lineitem
 WINDOW s AS (PARTITION BY l_suppkey ORDER BY l_shipdate, l_orderkey, l_linenumber ROWS 50 PRECEDING))

-- moving sum, no partitions
SELECT count(*), sum(v) FROM (SELECT sum(o_totalprice) OVER (ORDER BY o_orderdate, o_orderkey ROWS 1000 PRECEDING) AS v FROM orders)

-- range of days
SELECT count(*), sum(v), sum(n) FROM (SELECT sum(o_totalprice) OVER w AS v, count(*) OVER w AS n FROM orders WINDOW w AS
 (PARTITION BY o_orderpriority ORDER BY o_orderdate RANGE BETWEEN INTERVAL 7 DAY PRECEDING AND CURRENT ROW))

-- groups of peers
SELECT count(*), sum(v) FROM (SELECT max(o_totalprice) OVER (PARTITION BY o_orderpriority ORDER BY o_orderdate
 GROUPS BETWEEN 3 PRECEDING AND 3 FOLLOWING) AS v FROM orders)

-- lag and lead
SELECT count(*), sum(l_extendedprice - v), sum(w - l_extendedprice) FROM (SELECT l_extendedprice, lag(l_extendedprice) OVER s AS v,
 lead(l_extendedprice, 2) OVER s AS w FROM lineitem
 WINDOW s AS (PARTITION BY l_suppkey ORDER BY l_shipdate, l_orderkey, l_linenumber))

-- first and last value
SELECT count(*), sum(v), sum(w) FROM (SELECT first_value(l_extendedprice) OVER s AS v, last_value(l_extendedprice) OVER s AS w
 FROM lineitem WINDOW s AS (PARTITION BY l_suppkey ORDER BY l_shipdate, l_orderkey, l_linenumber
 ROWS BETWEEN 5 PRECEDING AND 5 FOLLOWING))

-- ntile
SELECT v, count(*), sum(o_totalprice) FROM (SELECT o_totalprice, ntile(100) OVER (PARTITION BY o_orderpriority
 ORDER BY o_totalprice, o_orderkey) AS v FROM orders) GROUP BY v

-- cume_dist and percent_rank
SELECT count(*), sum(v), sum(w) FROM (SELECT cume_dist() OVER s AS v, percent_rank() OVER s AS w FROM orders
 WINDOW s AS (PARTITION BY o_orderpriority ORDER BY o_totalprice))

-- moving max of texts
SELECT count(*), min(v), max(v) FROM (SELECT max(o_comment) OVER (PARTITION BY o_custkey ORDER BY o_orderdate, o_orderkey
 ROWS 3 PRECEDING) AS v FROM orders)
