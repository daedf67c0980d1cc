/** A server in its own process, as services run. Each route throws at a different point that no code catches. */
import { randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { ofThisRequest, outsideRequests, sharedByRequests } from '@mandate/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createMetrics } from '../metrics.ts';
import { createLogger } from '../pino-logger.ts';
import { runProcess } from '../run-process.ts';
import { createHttpServer } from './create-http-server.ts';
import { serveHttp } from './serve-http.ts';

type Way = (request: FastifyRequest, reply: FastifyReply) => unknown;

const never = () => new Promise<never>(() => {});
function boom(): never {
  throw new Error('boom');
}

/** Returns a text stream without an end, like an event stream. */
function endless(): Readable {
  return Readable.from(
    (async function* () {
      yield 'data: 1\n\n';
      await never();
    })(),
  );
}

const listeners = new Set<() => void>();
const shared = sharedByRequests({
  /** Starts shared work from a request. */
  startWork: () => setImmediate(boom),
  refuse: async () => boom(),
  /** Adds a listener from a request. Other code calls the listener later. */
  subscribe: (listener: () => void) => listeners.add(listener),
});

/** Exceptions before the answer begins. Each ends with status 500. */
const BEFORE: Record<string, Way> = {
  timer: async () => {
    setTimeout(boom, 1);
    await never();
  },
  immediate: async () => {
    setImmediate(boom);
    await never();
  },
  tick: async () => {
    process.nextTick(boom);
    await never();
  },
  microtask: async () => {
    queueMicrotask(boom);
    await never();
  },
  rejection: async () => {
    void Promise.reject(new Error('boom'));
    await never();
  },
  'rejection of a shared part': async () => {
    void shared.refuse();
    await never();
  },
  'rejection behind a timer': async () => {
    void (async () => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      boom();
    })();
    await never();
  },
  'stream that nobody hears': async () => {
    new Readable({ read() {} }).destroy(new Error('boom'));
    await never();
  },
  'listener of a shared part': async () => {
    shared.subscribe(ofThisRequest(boom));
    setImmediate(() => {
      for (const listener of listeners) outsideRequests(listener);
      listeners.clear();
    });
    await never();
  },
  'header that breaks': (_request, reply) => reply.header('x-told', '€\r\n').send('told'),
  'header that breaks, of a stream': (_request, reply) =>
    reply
      .type('text/plain')
      .header('x-told', '€')
      .send(Readable.from(['told'])),
};

/** Exceptions during the answer. Each ends the connection. */
const AMID: Record<string, Way> = {
  trailer: (_request, reply) => {
    reply.trailer('x-told', async () => '€');
    return reply.type('text/plain').send(Readable.from(['told']));
  },
  'trailer that throws': (_request, reply) => {
    reply.trailer('x-told', boom as never);
    return reply.type('text/plain').send(Readable.from(['told']));
  },
  'timer of an event stream': (_request, reply) => {
    setTimeout(boom, 20);
    return reply.type('text/event-stream').send(endless());
  },
  'listener of a stream': (_request, reply) => {
    const stream = new PassThrough();
    stream.write('a');
    setTimeout(() => stream.once('data', boom).write('b'), 20);
    return reply.type('text/event-stream').send(stream);
  },
  'generator of a stream': (_request, reply) =>
    reply.type('application/x-ndjson').send(
      Readable.from(
        (async function* () {
          yield randomBytes(100_000).toString('hex');
          boom();
        })(),
      ),
    ),
  'listener of the socket': (request, reply) => {
    request.raw.socket.once('probe', boom);
    setTimeout(() => request.raw.socket.emit('probe'), 20);
    return reply.type('text/event-stream').send(endless());
  },
};

/** Exceptions after the answer has ended, or after the caller has left. */
const AFTER: Record<string, Way> = {
  'timer after the answer': () => {
    setTimeout(boom, 20);
    return { told: true };
  },
  'interval after the answer': () => {
    let times = 3;
    const timer = setInterval(() => {
      if (--times === 0) clearInterval(timer);
      boom();
    }, 5);
    return { told: true };
  },
  'finish of the answer': (_request, reply) => {
    reply.raw.once('finish', boom);
    return { told: true };
  },
  'close of the answer': (_request, reply) => {
    reply.raw.once('close', boom);
    return { told: true };
  },
  'signal of the request': async (request) => {
    request.signal.addEventListener('abort', boom);
    await never();
  },
  'close of the socket': (request) => {
    request.raw.socket.once('close', boom);
    return { told: true };
  },
};

/** Exceptions that belong to no request, although a request started the work. */
const OF_THE_PROCESS: Record<string, Way> = {
  'shared work': async () => {
    shared.startWork();
    await never();
  },
  'nobody waits for it': async () => {
    outsideRequests(() => void Promise.reject(new Error('boom')));
    await never();
  },
};

const log = createLogger({ name: 'fixture' });
const server = await createHttpServer({
  service: 'fixture',
  version: '0',
  log,
  metrics: createMetrics({ service: 'fixture' }),
  keys: null,
  readiness: async () => [],
});
for (const [group, ways] of Object.entries({
  before: BEFORE,
  amid: AMID,
  after: AFTER,
  process: OF_THE_PROCESS,
})) {
  for (const [name, handle] of Object.entries(ways)) {
    const config = { public: true };
    server.get(`/${group}/${name.replaceAll(/\W+/g, '-')}`, { config }, handle);
    server.post(`/${group}/${name.replaceAll(/\W+/g, '-')}`, { config }, handle);
  }
}
server.get('/ways', { config: { public: true } }, () => ({
  before: Object.keys(BEFORE),
  amid: Object.keys(AMID),
  after: Object.keys(AFTER),
  process: Object.keys(OF_THE_PROCESS),
}));
await runProcess(process, {
  log,
  parts: [
    {
      name: 'server',
      start: async () => {
        const running = await serveHttp(server, { host: '127.0.0.1', port: 0 });
        process.stdout.write(`${JSON.stringify({ url: running.url })}\n`);
        return running;
      },
    },
  ],
});
