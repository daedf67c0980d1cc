import { describe } from 'vitest';
import { killedRecorder } from './suites/killed-recorder.ts';
import { openTables } from './support/recording.ts';

describe('a recorder on ClickHouse in its own process:', () =>
  killedRecorder(async () => ({ open: openTables, args: [] })));
