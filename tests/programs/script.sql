CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, value REAL, kind INTEGER);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
INSERT INTO t SELECT i, 'name ' || (i * 7919 % 101), i * 1.5, i % 7 FROM n;
COMMIT;
CREATE INDEX by_name ON t(name, kind);
SELECT kind, count(*), sum(value), min(name), group_concat(id) FROM t GROUP BY kind ORDER BY 2, 1;
SELECT upper(substr(name, 3)), printf('%08.3f', value), hex(name) FROM t WHERE name LIKE '%7' ORDER BY id;
UPDATE t SET value = value * 2, name = replace(name, 'name', 'n') WHERE kind IN (1, 3, 5);
DELETE FROM t WHERE id % 11 = 0;
SELECT a.id, b.id FROM t a JOIN t b ON a.name = b.name AND a.id < b.id LIMIT 20;
SELECT json_extract('{"a":[1,2,{"b":"x"}]}', '$.a[2].b'), typeof(x'00'), round(2.567, 1), abs(-7), instr('hello', 'l');
CREATE VIEW v AS SELECT kind, avg(value) AS mean FROM t GROUP BY kind;
SELECT * FROM v WHERE mean > 50 ORDER BY mean DESC;
CREATE TRIGGER trg AFTER INSERT ON t BEGIN UPDATE t SET kind = 99 WHERE id = new.id; END;
INSERT INTO t(id, name) VALUES(1000, 'last');
SELECT * FROM t WHERE id = 1000;
SELECT no_such_column FROM t;
PRAGMA integrity_check;
