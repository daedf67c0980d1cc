import { describe } from 'vitest';
import { recorderPromises } from './suites/recorder.ts';
import { openTables } from './support/recording.ts';

describe('the recorder, with an embedded ClickHouse:', () => recorderPromises(openTables));
