/**
 * Opens the clients of the providers that the runner's configuration names. Each call goes through the provider's own
 * SDK, which the SDK of Mandate wraps.
 */
import { knownPrices, normalModel } from '@mandate/policy';
import { withoutVersion } from '@mandate/policy/parts';
import type { ModelClients, ModelReply, ModelRequest } from './model-clients.ts';
import { ModelFailed } from './model-failed.ts';

type ProviderSettings = {
  protocol: 'openai' | 'anthropic';
  apiKey: string;
  /** Default: the address of the protocol's own provider. */
  baseUrl?: string | undefined;
  /** How long one attempt may take. Default: 5 minutes. */
  timeoutMs?: number | undefined;
};

export type ModelSettings = {
  /** The clients by the name of the provider in rules and price lists. */
  providers: Readonly<Record<string, ProviderSettings>>;
  /** The provider of models for which neither the manifest nor a price list names a provider. */
  defaultProvider?: string | undefined;
};

const TIMEOUT_MS = 300_000;

type Call = (request: ModelRequest) => Promise<ModelReply>;

/**
 * The SDKs of the providers are a quarter of the modules of a plane, and most planes call no model. So each SDK is
 * loaded with the first call.
 */
const LOAD_MODEL = {
  openai: () => import('./openai-model.ts').then(({ openAIModel }) => openAIModel),
  anthropic: () => import('./anthropic-model.ts').then(({ anthropicModel }) => anthropicModel),
};

/** @param atMs the time whose price lists count */
export function openModelClients({ providers, defaultProvider }: ModelSettings, atMs: number): ModelClients {
  const clients = new Map(
    Object.entries(providers).map(([provider, { protocol, timeoutMs = TIMEOUT_MS, ...settings }]) => {
      let opened: Promise<Call> | undefined;
      const call: Call = async (request) => {
        opened ??= LOAD_MODEL[protocol]().then((open) => open({ ...settings, provider, timeoutMs }));
        return (await opened)(request);
      };
      return [provider, call] as const;
    }),
  );
  const found = new Map<string, string | null>();
  return {
    providerOf(model, stated) {
      if (stated !== null) return clients.has(stated) ? stated : null;
      const known = found.get(model);
      if (known !== undefined) return known;
      const provider = listedProvider(model, [...clients.keys()], atMs) ?? defaultProvider ?? null;
      found.set(model, provider);
      return provider;
    },
    timeoutMsOf: (provider) => providers[provider]?.timeoutMs ?? TIMEOUT_MS,
    async call(request) {
      const call = clients.get(request.provider);
      if (call === undefined) {
        const message = `The runner has no settings for the provider "${request.provider}".`;
        throw new ModelFailed('MODEL_PROVIDER_UNKNOWN', message, { kind: 'permanent' });
      }
      return call({ ...request, model: bareModel(request.model, request.provider) });
    },
  };
}

/** Returns the first configured provider that begins the name of the model, or that has a price for the model. */
function listedProvider(model: string, configured: readonly string[], atMs: number): string | undefined {
  const named = configured.find((provider) => model.startsWith(`${provider}/`));
  if (named !== undefined) return named;
  const normal = normalModel(model);
  const names = new Set([model, normal, withoutVersion(normal)]);
  const prices = [...names].flatMap((name) => knownPrices([], name, atMs));
  return configured.find((provider) =>
    prices.some((price) => price.provider === provider && names.has(price.model)),
  );
}

function bareModel(model: string, provider: string): string {
  return model.startsWith(`${provider}/`) ? model.slice(provider.length + 1) : model;
}
