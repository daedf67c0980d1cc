import { describe } from 'vitest';
import { killedRecorder } from './suites/killed-recorder.ts';
import { openTables } from './support/recording.ts';

describe('a recorder, with an embedded ClickHouse:', () =>
  killedRecorder(async () => ({ open: openTables, args: [] })));
