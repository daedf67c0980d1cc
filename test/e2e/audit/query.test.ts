import { describe } from 'vitest';
import { queryPromises } from './suites/query-service.ts';
import { openTables } from './support/recording.ts';

describe('the query service, on ClickHouse in its own process:', () => queryPromises(openTables));
