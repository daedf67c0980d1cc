/**
 * Holds an answer against an OpenAPI document: is the status described, is the content type, and is the body what the
 * schema says? For streams and files it checks status and type alone.
 *
 * A refusal must be described under its own status: `default` is for faults of the server. Where there is no route nothing is
 * described, and the answer must be a problem document.
 */
type Schema = Readonly<Record<string, unknown>>;
type Answer = { content?: Readonly<Record<string, { schema?: Schema }>> };
export type Document = {
  components: object;
  paths: Readonly<Record<string, Readonly<Record<string, { responses: Readonly<Record<string, Answer>> }>>>>;
};

/** `path` as the document writes it, null where there is no route; `body` null where it is not looked at. */
export type Answered = {
  method: string;
  path: string | null;
  status: number;
  contentType: string;
  body: string | null;
};
/** What is wrong with a body: each place, and why. */
type Check = (body: unknown) => string[];

const PROBLEM: Answer = {
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

/** What is not as described in an answer, a line each. Schemas are compiled as they are met, once each. */
export async function faultsOfAnswers(): Promise<(document: Document) => (answered: Answered) => string[]> {
  const compile = await compiler();
  return (document) => {
    const checks = new Map<Schema, Check>();
    function faultsOf({ method, path, status, contentType, body }: Answered): string[] {
      // HEAD is described as GET.
      const named = method === 'HEAD' ? 'get' : method.toLowerCase();
      const answers = path === null ? { [status]: PROBLEM } : document.paths[path]?.[named]?.responses;
      const answer = answers?.[status] ?? (status >= 500 ? answers?.default : undefined);
      if (answer === undefined) return ['the status is not described'];
      const type = bare(contentType);
      if (type === '' && answer.content === undefined) return [];
      const [, content] = Object.entries(answer.content ?? {}).find(([said]) => bare(said) === type) ?? [];
      if (content === undefined) return [`the content type "${type}" is not described`];
      if (!/[/+]json$/.test(type) || body === null || content.schema === undefined) return [];
      const check = checks.get(content.schema) ?? compile(content.schema, document);
      checks.set(content.schema, check);
      return check(JSON.parse(body));
    }
    return (answered) =>
      faultsOf(answered).map((fault) => `${answered.method} ${answered.path} ${answered.status}: ${fault}`);
  };
}

/** Without its parameters. */
const bare = (type: string) => type.split(';', 1)[0] ?? '';

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
