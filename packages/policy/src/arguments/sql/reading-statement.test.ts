import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ALL_DIALECTS, dialect } from './dialects.fixture.ts';
import { EVERY_DIALECT } from './dialects.ts';
import { whyNotReadOnly } from './reading-statement.ts';
import { sqlTokens } from './tokens.ts';

const why = (sql: string) => whyNotReadOnly(sql, EVERY_DIALECT);

const READS_IN_EVERY_DIALECT = [
  'SELECT 1',
  'select 1;',
  ' select 1 ; ',
  'select 1; -- done',
  '(select 1) union (select 2)',
  '((select 1) union (select 2)) order by 1',
  'select ((select 1) union (select 2))',
  'select * from ((select 1) union all (select 2)) x',
  'select updated_at, deleted, inserted_at, dropped, created from t',
  'select * from t where a = 1 order by b limit 5',
  'select a, b c, d as e, f as "g h" from t as u, v w',
  'select t.delete, t.into, t.* from t',
  'with x as (select 1) select * from x',
  'WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM x) SELECT * FROM x',
  "select 'drop table x; delete from y' as text",
  "select 'it''s; truncate'",
  'select "delete" from "update"',
  "select 'a -- b', '/* c */', '#'",
  'select /* a comment */ 1 -- another\n from t',
  'select 1 -- drop table x',
  'select 1 -- drop table x\r\nfrom t',
  'select 1 /* ; delete from t */',
  'select /* a\n   longer comment */ 1',
  'select "日本", ñandú from t',
  'select 1.5e10, .5, 0xff, 1. from t',
  "select a::int, b->>'c', d || e from t",
  'select count(*), count(distinct a), sum(a * 2) from t group by b having count(*) > 1',
  "select date '2026-01-01', interval '1 day'",
  'select case when a then 1 else 2 end, case a when 1 then 2 end from t',
  'select cast(a as decimal(10, 2)), cast(b as double precision) from t',
  'select a from t where b in (1, 2) and c not in (select d from u) and e between 1 and 2',
  "select a from t where b like 'x%' and c is not null and not d and exists (select 1)",
  'select a from t left outer join u on t.a = u.a inner join v using (a) cross join w natural join x',
  'select rank() over (partition by a order by b desc nulls last) from t',
  'select sum(a) over (order by b rows between 1 preceding and current row) from t',
  'select lag(a, 1) over w from t window w as (partition by b)',
  'select * from files, url where file = url.remote',
  'select * from (values (1, 2), (3, 4)) as v(a, b)',
  'values (1), (2)',
  'explain select 1',
  'EXPLAIN ANALYZE SELECT 1',
  'explain (analyze, verbose) select * from t',
  'describe t',
  'desc t',
  "select '\\\\' , ';'",
  'select a from b.c',
  'select * from (t join u on t.a = u.a) left join (v w cross join x y) on true',
  'select * from (t)',
  "select a 'b' from t",
];
const READS_IN_ONE: readonly [dialect: string, sql: string][] = [
  ['postgres', "select a[1], m['key'], array[1, 2], '{1,2}'::int[] from t"],
  ['postgres', "select E'a\\\\', $1 from t"],
  ['postgres', "select extract(year from a), substring(a from 1 for 2), trim(both ' ' from a) from b.c.d"],
  ['postgres', "select position('a' in b) from t where a = any (array[1]) or b @@ to_tsquery('c')"],
  ['postgres', 'select $$drop table x$$, $tag$delete; from x$tag$'],
  ['postgres', 'select 1 --drop table x\n+ 1'],
  ['postgres', "select * from a where b @> '{}' and c ?| array['d'] and e ~* 'f' and g #>> '{h}' is null"],
  ['postgres', 'select distinct on (a) a, count(*) filter (where b) from t group by grouping sets ((a), ())'],
  ['postgres', 'select percentile_cont(0.5) within group (order by a) from t fetch first 5 rows only'],
  ['postgres', 'select * from unnest(array[1]) with ordinality as u(a, n), lateral (select n) l'],
  ['postgres', "select * from json_to_recordset('[]') as r(a int, b text)"],
  ['postgres', "select now() at time zone 'utc' - interval '1' day, pg_catalog.lower('A')"],
  ['postgres', 'select relname from pg_catalog.pg_class join pg_namespace n on n.oid = relnamespace'],
  ['postgres', 'show server_version'],
  ['postgres', 'select * from t tablesample system (10) repeatable (1)'],
  ['postgres', 'select "count(*)", "a.b", "a;b" from "Order Details"'],
  [
    'postgres',
    'select u.a, u.n, g.g, t.a from unnest(t.b) with ordinality as u(a, n), generate_series(1, 2) g',
  ],
  [
    'postgres',
    'select e.key, e.value, (jsonb_each(a)).key, (t).*, x.lower from t, jsonb_each(b) e, unnest(c) x',
  ],
  ['postgres', 'select t.pg_read_file, "unnest"."unnest" from t, unnest(a)'],
  ['mysql', 'select `a;b` from `t` use index (i) where `c` <=> 1 limit 5, 10'],
  ['mysql', "select date_sub(now(), interval 1 day), interval weekday(a) day + b, _utf8mb4'x' from t"],
  ['mysql', "select group_concat(distinct a order by b desc separator ', ') from t group by c with rollup"],
  ['mysql', "select * from t where match (a, b) against ('x' in boolean mode)"],
  ['mysql', "select * from json_table('[]', '$[*]' columns (a decimal(5, 2) path '$.a')) as j"],
  ['mysql', 'select cast(a as char character set utf8mb4) from t'],
  ['mysql', 'select cast(a as char(9) character set binary) from t'],
  ['mysql', "show full tables from d like 'a%'"],
  ['mysql', 'show create table t'],
  ['mysql', 'select replace(a, b, c), truncate(1.5, 1), insert(a, 1, 2, b), left(a, 1), if(a, b, c) from t'],
  ['mariadb', 'select percentile_cont(0.5) within group (order by a) over (partition by b) from t'],
  ['sqlite', "select * from t where a glob 'b*' and c is not d order by rowid limit 5"],
  ['sqlite', "select strftime('%Y', a), iif(b, 1, 2), x'ff', :p, $q from t, json_each(t.c) j"],
  ['sqlite', "select * from t where a like '50\\%' escape '\\'"],
  ['sqlite', 'pragma table_info(t)'],
  ['sqlite', "select * from pragma_table_info('t'), sqlite_master"],
  ['sqlite', 'explain query plan select 1'],
  ['duckdb', 'from t select a'],
  ['duckdb', 'from t'],
  ['duckdb', "select * exclude (a), [1, 2][1], {'a': 1}.a, list_transform(b, x -> x + 1) from t qualify c"],
  ['duckdb', 'select list_filter(b, lambda x: x > 1), a[1:2], columns(*) from t group by all order by all'],
  ['duckdb', 'select * from a asof join b on a.t >= b.t, unnest([1]) u(x), range(5) r'],
  ['duckdb', 'describe select 1'],
  ['duckdb', 'show t'],
  ['clickhouse', "select 'it\\'s', `a` from t final array join c as d prewhere b limit 1 by e format JSON"],
  ['clickhouse', 'with now() as m, (select 1) as one, x as (select 2) select m, one, * from x'],
  ['clickhouse', 'select quantile(0.5)(a), sumIf(a, b), uniqMergeIf(c, d), arrayMap(x -> x.1, e) from t'],
  ['clickhouse', 'select a from t sample 1/10 offset 1/2 order by b with fill from 1 to 5 step 1'],
  ['clickhouse', 'select * except (a) from t global any left join u using (a) group by b with totals'],
  ['clickhouse', 'explain indexes = 1, actions = 1 select {p:UInt8}'],
  ['clickhouse', 'select t.name, system.tables.name from system.tables t where t.uuid in (system.one)'],
  ['clickhouse', 'select number from numbers(10) union all select count() from system.tables'],
];

test.each(READS_IN_EVERY_DIALECT)('every dialect accepts %j', (sql) => {
  for (const one of ALL_DIALECTS) expect([one.name, whyNotReadOnly(sql, one)]).toEqual([one.name, null]);
});

test.each(READS_IN_ONE)('%s accepts %j', (name, sql) => {
  expect(whyNotReadOnly(sql, dialect(name))).toBeNull();
});

test('refuses a semicolon inside a statement, before any token or instead of any token', () => {
  const statements = [
    ...READS_IN_EVERY_DIALECT.flatMap((sql) => ALL_DIALECTS.map((one) => [one, sql] as const)),
    ...READS_IN_ONE.map(([name, sql]) => [dialect(name), sql] as const),
  ];
  for (const [one, sql] of statements) {
    const starts = sqlTokens(sql, one).map(({ at }) => at);
    for (const [at, start] of starts.slice(0, -1).entries()) {
      const before = sql.slice(0, start);
      for (const after of [sql.slice(start), sql.slice(starts[at + 1])])
        expect(
          whyNotReadOnly(`${before} ; ${after}`, one),
          `${one.name}: ${before} ; ${after}`,
        ).not.toBeNull();
    }
  }
});

test('names the position of the fault', () => {
  expect(why('select 1; drop table x')).toBe('a second statement (at character 11)');
  expect(why('select a, f(b) from t')).toBe(
    'a function that is not on the list for all dialects (at character 11)',
  );
});

test('finds a second statement anywhere, unless it is inside quotes or a comment', () => {
  const data = fc.constantFrom(
    "'; drop table x'",
    '"; drop"',
    '1 /* ; drop table x */',
    '2 -- ;drop\n',
    "''",
    "'a''b'",
    '1',
    'a.b',
    'abs(1)',
    '(select 1)',
    'case when a then b end',
  );
  const pieces = fc.array(data, { minLength: 1, maxLength: 6 });
  const attack = fc.constantFrom(
    '; drop table x',
    ';delete from t',
    ' ;\nselect 2',
    '/**/;/**/truncate t',
    ' drop table x',
    ' INTO t2 ',
    ' for update',
  );
  fc.assert(
    fc.property(fc.constantFrom(...ALL_DIALECTS), pieces, attack, pieces, (one, before, stacked, after) => {
      expect(whyNotReadOnly(`select ${[...before, ...after].join(' , ')}`, one)).toBeNull();
      expect(
        whyNotReadOnly(`select ${before.join(' , ')} ${stacked} ${after.join(' , ')}`, one),
      ).not.toBeNull();
    }),
  );
});

test('handles the longest texts quickly', () => {
  const units = [
    ...["'", '"', '`', '$$', '$a$', '/*', '*/', '--', '-- \n', '(', '[', '{', ']', '\\', "''", "'\\\\"],
    ...[
      '1',
      '.',
      '1e',
      'a',
      'a.',
      '/* */',
      '$a',
      '-- \r',
      ' + 1',
      ', a',
      ' case when a then',
      ' union select 1',
    ],
    ...[' not', '::int', '[1]', 'f(', '(select ', ' join t', ' is', ' array', ' interval 1 day', 'a, b as '],
  ];
  for (const one of ALL_DIALECTS)
    for (const unit of units) {
      whyNotReadOnly(`select ${unit.repeat(60_000 / unit.length)}`, one);
      whyNotReadOnly(`select 1 from t ${unit.repeat(60_000 / unit.length)}`, one);
    }
});

test('no dialect allows a function name that belongs to a function with side effects in another dialect', () => {
  const effects = [
    ...[
      'sleep',
      'benchmark',
      'load_file',
      'file',
      'url',
      'nextval',
      'setval',
      'set_config',
      'pg_sleep',
      'dblink',
    ],
    ...['readfile', 'writefile', 'load_extension', 'query', 'query_table', 'read_csv', 'getenv', 'setseed'],
    ...['lo_import', 'lo_export', 'pg_notify', 'get_lock', 'release_lock', 'last_insert_id', 'ts_rewrite'],
  ];
  for (const { name, functions, tableFunctions } of ALL_DIALECTS)
    for (const effect of effects)
      expect([name, effect, functions.has(effect) || tableFunctions.has(effect)]).toEqual([
        name,
        effect,
        false,
      ]);
});
