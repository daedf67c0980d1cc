/** A decider in its own process, on Kafka and Redis. decider-processes.ts starts it. */
import { once } from 'node:events';
import { createRedisLedger } from '@mandate/ledger/redis';
import { cpuSince } from '../measure/work.ts';
import { decideOn } from './decider.ts';
import type { DeciderOrder } from './decider-processes.ts';
import { logOn } from './servers.ts';

const [order] = (await once(process, 'message')) as [DeciderOrder];
const bus = await logOn(order);
const ledger = await createRedisLedger({ url: order.url });
await bus.ping();
process.send?.('connected');
await once(process, 'message');
const before = process.cpuUsage();
const decider = await decideOn(bus, ledger);
await once(process, 'message');
process.send?.(cpuSince(before));
await decider.stop();
await ledger.close();
await bus.close();
process.disconnect();
