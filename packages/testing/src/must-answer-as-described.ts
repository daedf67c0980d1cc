/**
 * Holds every answer of a server against the OpenAPI document that the server itself gives out: is the status described, is
 * the content type, and is the body what the schema says? Of streams and files it looks at status and type alone.
 *
 * A refusal must be described under its own status: `default` is for faults of the server. Where there is no route nothing is
 * described, and the answer must be a problem document.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

type Schema = Readonly<Record<string, unknown>>;
type Answer = { content?: Readonly<Record<string, { schema?: Schema }>> };
type Document = {
  components: object;
  paths: Readonly<Record<string, Readonly<Record<string, { responses: Readonly<Record<string, Answer>> }>>>>;
};
/** What is wrong with a body: each place, and why. */
type Check = (body: unknown) => string[];
type Described = { document: Document; checks: Map<Schema, Check> };

const PROBLEM: Answer = {
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

/** By routes: most tests begin a server of their own, and what is compiled for one of them does for all. */
const known = new Map<string, Described>();

/**
 * Call it before the server has any route. What was not as described is thrown as the server closes, so that the test fails
 * whatever it looked at itself.
 */
export async function mustAnswerAsDescribed(
  server: Pick<FastifyInstance, 'addHook'> & { swagger(): object },
): Promise<void> {
  const compile = await compiler();
  const routes: string[] = [];
  const bodies = new WeakMap<FastifyRequest, unknown>();
  const faults = new Set<string>();
  server.addHook('onRoute', ({ method, url }) => {
    routes.push(`${method} ${url}`);
  });
  server.addHook('onSend', (request, _reply, body, done) => {
    bodies.set(request, body);
    done(null, body);
  });
  server.addHook('onResponse', (request, reply, done) => {
    for (const fault of faultsOf(request, reply))
      faults.add(
        `${request.method} ${request.routeOptions.url ?? request.url} ${reply.raw.statusCode}: ${fault}`,
      );
    done();
  });
  server.addHook('onClose', async () => {
    if (faults.size > 0) throw new Error(`answers that are not as described:\n${[...faults].join('\n')}`);
  });

  function described(): Described {
    const key = routes.join();
    const found = known.get(key) ?? { document: server.swagger() as Document, checks: new Map() };
    known.set(key, found);
    return found;
  }

  function faultsOf(request: FastifyRequest, reply: FastifyReply): string[] {
    const { routeOptions } = request;
    if ((routeOptions.schema as { hide?: boolean } | undefined)?.hide === true) return [];
    const { document, checks } = described();
    const status = reply.raw.statusCode;
    const answers = routeOptions.url === undefined ? { [status]: PROBLEM } : answersOf(document, request);
    const answer = answers?.[status] ?? (status >= 500 ? answers?.default : undefined);
    if (answer === undefined) return ['the status is not described'];

    const type = bare(String(reply.getHeader('content-type') ?? ''));
    if (type === '' && answer.content === undefined) return [];
    const [, content] = Object.entries(answer.content ?? {}).find(([said]) => bare(said) === type) ?? [];
    if (content === undefined) return [`the content type "${type}" is not described`];
    const body = bodies.get(request);
    if (!/[/+]json$/.test(type) || typeof body !== 'string' || content.schema === undefined) return [];
    const check = checks.get(content.schema) ?? compile(content.schema, document);
    checks.set(content.schema, check);
    return check(JSON.parse(body));
  }
}

/** Without its parameters. */
const bare = (type: string) => type.split(';', 1)[0] ?? '';

/** By status; HEAD is described as GET. */
function answersOf({ paths }: Document, { method, routeOptions: { url = '' } }: FastifyRequest) {
  const path = url.replaceAll(/:(\w+)/g, '{$1}');
  return paths[path]?.[method === 'HEAD' ? 'get' : method.toLowerCase()]?.responses;
}

/** Loaded here and not before: most tests serve nothing. */
async function compiler(): Promise<(schema: Schema, document: Document) => Check> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const { default: formats } = await import('ajv-formats');
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  return (schema, { components }) => {
    const isValid = ajv.compile({ ...schema, components });
    return (body) => {
      isValid(body);
      return (isValid.errors ?? []).map(
        ({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
      );
    };
  };
}
