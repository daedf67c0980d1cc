/** A process in which the clients of Redis and Kafka are not installed. It prints the error of a call in each mode. */
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'ioredis' && specifier !== 'kafkajs') return next(specifier, context);
    throw Object.assign(new Error(`Cannot find package '${specifier}'`), { code: 'ERR_MODULE_NOT_FOUND' });
  },
});

const { Mandate } = await import('./index.ts');
const { kafkaPlane } = await import('./kafka/index.ts');
const modes = [
  { mode: 'distributed', redis: 'redis://127.0.0.1:9', mandate: {} },
  { mode: 'plane', kafka: kafkaPlane({ brokers: ['127.0.0.1:9'] }) },
] as const;
for (const mode of modes) {
  const mandate = new Mandate({ agentId: 'bot', ...mode });
  const call = mandate.createExecutor().run('pay', {}, () => 'paid');
  console.log(await call.catch(({ message }) => message));
  await mandate.close({ timeoutMs: 1 });
}
