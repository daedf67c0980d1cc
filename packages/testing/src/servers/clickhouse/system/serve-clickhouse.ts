/**
 * Becomes a ClickHouse: hands this process to `clickhouse-local`, which chdb's library carries whole. Its main thread is
 * the engine's from then on. Called through ffi-rs and not koffi, which runs calls on a stack that the engine refuses.
 *
 * usage: serve-clickhouse.ts <argument of clickhouse-local>...
 */
import { libchdbPath } from 'chdb/libchdb';
import { DataType, load, open } from 'ffi-rs';

const args = ['clickhouse-local', ...process.argv.slice(2)];

open({ library: 'chdb', path: libchdbPath() });
load({
  library: 'chdb',
  funcName: 'chdb_query_cmdline',
  retType: DataType.External,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [args.length, args],
});
// It returns only when the engine could not go on, and has said why.
process.exit(1);
