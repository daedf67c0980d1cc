/**
 * Compares an answer with an OpenAPI document: its status and content type must be described, and its body must fit
 * the schema. For streams and files only status and type are checked.
 *
 * A refusal must be described under its own status, because `default` is for errors of the server. If the path has
 * no route, nothing is described, and the answer must be a problem document.
 */
type Schema = Readonly<Record<string, unknown>>;
type Answer = { content?: Readonly<Record<string, { schema?: Schema }>> };
export type Document = {
  components: object;
  paths: Readonly<Record<string, Readonly<Record<string, { responses: Readonly<Record<string, Answer>> }>>>>;
};

/**
 * One answer of a server. `path` is in the form of the document, or null if the path has no route. `body` is null if
 * it must not be checked.
 */
export type Answered = {
  method: string;
  path: string | null;
  status: number;
  contentType: string;
  body: string | null;
};
/** Returns the faults of a body, each with its position and reason. */
type Check = (body: unknown) => string[];

const PROBLEM: Answer = {
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

/**
 * Returns a line for each part of an answer that is not as described. Each schema is compiled once, when it is first
 * needed. Most refusals have the same schema, so equal schemas share what was compiled.
 */
export async function faultsOfAnswers(): Promise<(document: Document) => (answered: Answered) => string[]> {
  const compile = await compiler();
  return (document) => {
    const checks = new Map<string, Check>();
    function faultsOf({ method, path, status, contentType, body }: Answered): string[] {
      // The document describes a HEAD request under GET.
      const named = method === 'HEAD' ? 'get' : method.toLowerCase();
      const answers = path === null ? { [status]: PROBLEM } : document.paths[path]?.[named]?.responses;
      const answer = answers?.[status] ?? (status >= 500 ? answers?.default : undefined);
      if (answer === undefined) return ['the status is not described'];
      const type = bare(contentType);
      if (type === '' && answer.content === undefined) return [];
      const [, content] = Object.entries(answer.content ?? {}).find(([said]) => bare(said) === type) ?? [];
      if (content === undefined) return [`the content type "${type}" is not described`];
      if (!/[/+]json$/.test(type) || body === null || content.schema === undefined) return [];
      const text = JSON.stringify(content.schema);
      const check = checks.get(text) ?? compile(content.schema, document);
      checks.set(text, check);
      return check(JSON.parse(body));
    }
    return (answered) =>
      faultsOf(answered).map((fault) => `${answered.method} ${answered.path} ${answered.status}: ${fault}`);
  };
}

/** Returns a content type without its parameters. */
const bare = (type: string) => type.split(';', 1)[0] ?? '';

/** The schema compiler is loaded here, because most tests have no server and do not need it. */
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
