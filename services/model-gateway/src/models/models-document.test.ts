import { expect, test } from 'vitest';
import { loadModels } from './models-document.ts';
import { routeModel } from './route-model.ts';

const SECRETS: Readonly<Record<string, string>> = { KEY: 'sk-upstream' };
const load = (text: string) =>
  loadModels(Buffer.from(text), (source) => ('env' in source ? (SECRETS[source.env] ?? null) : null));

function mustLoad(text: string) {
  const loaded = load(text);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return loaded.document;
}

const DOCUMENT = `version: 1
upstreams:
  openai: { protocol: openai, apiKey: { env: KEY } }
  azure: { protocol: openai, baseUrl: "https://a.example/{model}/", auth: api-key, apiKey: { env: KEY }, provider: azure }
  claude: { protocol: anthropic, apiKey: { env: KEY } }
models:
  fast: { upstream: openai, model: gpt-4o-mini, fallback: spare }
  spare: { upstream: azure }
  opus: { upstream: claude }
defaults: { anthropic: claude }
`;

test('fills in the addresses of the providers, and how keys are sent', () => {
  const { upstreams } = mustLoad(DOCUMENT);
  expect([...upstreams.values()].map(({ baseUrl, auth, provider }) => [baseUrl, auth, provider])).toEqual([
    ['https://api.openai.com/v1', 'bearer', 'openai'],
    ['https://a.example/{model}', 'api-key', 'azure'],
    ['https://api.anthropic.com', 'x-api-key', 'claude'],
  ]);
});

test('finds the upstreams of a model in their order, and the default of its protocol', () => {
  const document = mustLoad(DOCUMENT);
  const routeOf = (protocol: 'openai' | 'anthropic', model: string) => {
    const route = routeModel(document, protocol, model);
    return route.found ? route.targets.map((one) => `${one.upstream.name}: ${one.model}`) : route.servedBy;
  };
  expect(routeOf('openai', 'fast')).toEqual(['openai: gpt-4o-mini', 'azure: spare']);
  expect(routeOf('anthropic', 'some-model')).toEqual(['claude: some-model']);
  expect(routeOf('openai', 'some-model')).toBeNull();
  expect(routeOf('openai', 'opus')).toBe('anthropic');
  for (const name of ['__proto__', 'constructor']) expect(routeOf('openai', name)).toBeNull();
});

test.each([
  ['upstreams: { a: { protocol: grpc } }', 'upstreams.a.protocol'],
  ['upstreams: { a: { protocol: openai, apiKey: sk-1 } }', 'upstreams.a.apiKey'],
  ['upstreams: { a: { protocol: openai, apiKey: { env: MISSING } } }', 'upstreams.a.apiKey'],
  ['upstreams: { a: { protocol: openai, apiKey: { file: /nowhere } } }', 'upstreams.a.apiKey'],
  ['upstreams: { a: { protocol: openai, baseUrl: "ftp://a" } }', 'upstreams.a.baseUrl'],
  ['models: { m: { upstream: nowhere } }', 'models.m.upstream'],
  ['models: { m: { upstream: constructor } }', 'models.m.upstream'],
  [
    'upstreams: { a: { protocol: openai } }\nmodels: { m: { upstream: a, fallback: n } }',
    'models.m.fallback',
  ],
  [
    'upstreams: { a: { protocol: openai } }\nmodels: { m: { upstream: a, fallback: n }, n: { upstream: a, fallback: m } }',
    'models.m.fallback',
  ],
  [
    'upstreams: { a: { protocol: openai }, b: { protocol: anthropic } }\nmodels: { m: { upstream: a, fallback: n }, n: { upstream: b } }',
    'models.m.fallback',
  ],
  ['defaults: { openai: nowhere }', 'defaults.openai'],
  ['upstreams: { b: { protocol: anthropic } }\ndefaults: { openai: b }', 'defaults.openai'],
  ['surprise: 1', 'surprise'],
])('refuses %j, and names the place', (text, path) => {
  const loaded = load(`version: 1\n${text}\n`);
  expect(loaded.ok ? [] : loaded.faults.map((fault) => fault.path)).toContain(path);
});

test('never shows a key in a fault', () => {
  const loaded = loadModels(
    Buffer.from('version: 1\nupstreams: { a: { protocol: openai, apiKey: { env: KEY } } }\n'),
    () => 'sk-secret with a blank',
  );
  expect(loaded.ok).toBe(false);
  expect(JSON.stringify(loaded)).not.toContain('sk-secret');
});
