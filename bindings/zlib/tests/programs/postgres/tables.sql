-- Some 20 MB as text: data that compresses well, hardly, and to a degree.
SELECT setseed(0.5);
CREATE TABLE orders AS
SELECT id, 'Customer#' || lpad((id * 7919 % 15000)::text, 9, '0') AS customer,
  (ARRAY['1-URGENT', '2-HIGH', '3-MEDIUM', '4-NOT SPECIFIED', '5-LOW'])[1 + id % 5] AS priority,
  timestamptz '1994-07-02 00:00Z' + id * interval '37 minutes' AS at, (id::bigint * 104729 % 1000003)::numeric / 100 AS price,
  id % 3 = 0 AS paid, CASE WHEN id % 11 > 0 THEN repeat('carefully final deposits ', 1 + (id % 6)::int) END AS note
FROM generate_series(1, 90000) AS id;
ALTER TABLE orders ADD PRIMARY KEY (id);
CREATE INDEX ON orders (customer);
CREATE TABLE noise AS
SELECT id, random() AS number, decode(md5(id::text) || md5((-id)::text), 'hex') AS bytes
FROM generate_series(1, 40000) AS id;
CREATE TABLE documents AS
SELECT id, jsonb_build_object('id', id, 'tags', jsonb_build_array(id % 7, md5((id % 100)::text)), 'größe', id * 1.5) AS document,
  (SELECT string_agg(md5((id * 100 + part)::text), '') FROM generate_series(1, 10) AS part) AS long
FROM generate_series(1, 12000) AS id;
SELECT lo_from_bytea(4711, (SELECT string_agg(decode(md5(part::text), 'hex'), '\x00ff00ff') FROM generate_series(1, 50000) AS part));
