import { describe } from 'vitest';
import { openTables } from './recording.ts';
import { killedRecorder } from './what-a-killed-recorder-leaves.ts';

describe('a recorder on ClickHouse in its own process:', () =>
  killedRecorder(async () => ({ open: openTables, args: [] })));
