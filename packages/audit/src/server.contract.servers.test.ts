import { auditContract } from './contract.ts';
import { startedServer } from './server.fixture.ts';

auditContract('ClickHouse as a server', startedServer().emptyDatabase);
