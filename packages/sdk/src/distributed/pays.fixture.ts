/** A process that makes ten calls of five dollars at once, under a limit of ten dollars that other processes share. */
import { atOnce } from '../contract/scene.ts';
import { Mandate } from '../index.ts';

const [, , redis = '', redisPrefix = ''] = process.argv;
const mandate = new Mandate({
  mode: 'distributed',
  redis,
  redisPrefix,
  agentId: 'bot',
  mandate: { maxCostTotal: 10, toolPolicies: { pay: { cost: 5 } } },
});
const tools = mandate.createExecutor();
process.send?.(await atOnce(10, () => tools.run('pay', {}, () => 'paid')));
await mandate.close();
process.exit(0);
