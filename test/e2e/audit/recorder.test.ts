import { describe } from 'vitest';
import { openTables } from './recording.ts';
import { recorderPromises } from './what-the-recorder-promises.ts';

describe('the recorder, on ClickHouse in its own process:', () => recorderPromises(openTables));
