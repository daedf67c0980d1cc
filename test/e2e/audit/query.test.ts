import { describe } from 'vitest';
import { queryPromises } from './suites/query-service.ts';
import { openTables } from './support/recording.ts';

describe('the query service, with an embedded ClickHouse:', () => queryPromises(openTables));
