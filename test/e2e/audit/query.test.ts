import { describe } from 'vitest';
import { openTables } from './recording.ts';
import { queryPromises } from './what-the-query-service-promises.ts';

describe('the query service, on ClickHouse in its own process:', () => queryPromises(openTables));
