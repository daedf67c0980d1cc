/** The log of the simulation passes the contract tests of the bus, in real time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { busContract } from '@mandate/bus/contract';
import { openLog } from './log-client.ts';
import type { LogPorts } from './log-ports.ts';
import { MemoryLog } from './memory-log.ts';

const ports: LogPorts = {
  async call(what, effect) {
    if (what.do !== 'append' || !what.urgent) await new Promise(setImmediate);
    return effect();
  },
  post: (run) => void setImmediate(run),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

busContract('the log of the simulation', async () => {
  const log = new MemoryLog({ partitionsOf: () => 4, clock: Date.now });
  return {
    bus: openLog(log, ports),
    another: async () => openLog(log, ports),
    expire: async (topic) => log.expire(topic),
    dispose: async () => {},
  };
});
