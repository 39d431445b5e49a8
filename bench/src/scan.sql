-- Reads every column of lineitem and looks at every value, with as little work on each as SQL allows. Every column
-- has an aggregate that no statistics in the file can answer alone.
select
    sum(l_orderkey),
    sum(l_partkey),
    sum(l_suppkey),
    sum(l_linenumber),
    sum(l_quantity),
    sum(l_extendedprice),
    sum(l_discount),
    sum(l_tax),
    count(case when l_returnflag = 'R' then 1 end),
    count(case when l_linestatus = 'F' then 1 end),
    count(case when l_shipdate > date '1995-06-17' then 1 end),
    count(case when l_commitdate > date '1995-06-17' then 1 end),
    count(case when l_receiptdate > date '1995-06-17' then 1 end),
    count(case when l_shipinstruct = 'NONE' then 1 end),
    count(case when l_shipmode = 'MAIL' then 1 end),
    count(case when l_comment > 'm' then 1 end)
from lineitem
