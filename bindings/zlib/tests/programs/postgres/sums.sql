SELECT 'orders', count(*), md5(string_agg(md5(orders::text), '' ORDER BY id)) FROM orders
UNION ALL SELECT 'noise', count(*), md5(string_agg(md5(noise::text), '' ORDER BY id)) FROM noise
UNION ALL SELECT 'documents', count(*), md5(string_agg(md5(documents::text), '' ORDER BY id)) FROM documents
UNION ALL SELECT 'large object', length(lo_get(4711)), md5(lo_get(4711))
