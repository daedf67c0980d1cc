/** A process that makes ten calls of five dollars at once, under a limit of ten dollars that other processes share. */
import { findMandateError, Mandate } from '../index.ts';

const [, , redis = '', redisPrefix = ''] = process.argv;
const mandate = new Mandate({
  mode: 'distributed',
  redis,
  redisPrefix,
  agentId: 'bot',
  mandate: { maxCostTotal: 10, toolPolicies: { pay: { cost: 5 } } },
});
const tools = mandate.createExecutor();
const codes = await Promise.all(
  Array.from({ length: 10 }, (_, at) =>
    tools
      .run('pay', { at }, () => 'paid')
      .then(
        () => 'ran',
        (error: unknown) => findMandateError(error)?.code ?? String(error),
      ),
  ),
);
process.send?.(codes);
await mandate.close();
process.exit(0);
