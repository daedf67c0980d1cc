/** A program that can reach no plane. It waits for its call, and does nothing else. */
import { Mandate } from './index.ts';

const mandate = new Mandate({ agentId: 'bot', planeUrl: 'http://127.0.0.1:9', timeoutMs: 500 });
const call = mandate.createExecutor().run('pay', {}, () => 'paid');
console.log(await call.catch((error) => error.cause.code));
