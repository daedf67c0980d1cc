import { names } from './dialect.ts';

/**
 * Words that change something or begin a statement. In SQL Server such a word begins a new statement even without a
 * semicolon.
 */
export const WRITING_WORDS = names(
  'insert update delete merge replace truncate drop alter create rename grant revoke deny into set',
  'exec execute declare begin commit rollback checkpoint backup restore kill shutdown reconfigure revert',
  'waitfor dbcc return uescape procedure lock outfile dumpfile',
);

/** Words that structure a statement. Without quotes, such a word is never a name. */
export const FORM_WORDS = names(
  'select from where group having order limit offset fetch union intersect except window qualify with for',
  'on using join inner left right full cross natural lateral as case when then else end',
  'and or not is in between like ilike rlike similar collate distinct values',
);

/** Words that continue a statement where a name without AS could also stand. Such a word is not read as a name. */
export const NO_BARE_ALIAS = names(
  'any anti array asof div escape final force format glob global ignore indexed interpolate isnull match minus',
  'mod notnull overlaps partition pivot positional prewhere regexp sample semi settings straight_join',
  'tablesample unpivot use xor',
);

/** Units of time that may follow the number of INTERVAL. */
export const UNITS = names(
  'year years quarter quarters month months week weeks day days hour hours minute minutes second seconds',
  'millisecond milliseconds microsecond microseconds nanosecond nanoseconds decade decades century centuries',
  'year_month day_hour day_minute day_second hour_minute hour_second minute_second',
);
