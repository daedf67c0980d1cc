/** The shape of `models.yaml`, and of an upstream with its defaults and its key. */
import { secretSource } from '@mandate/runtime/secret-source';
import { modelPriceDocument, type TokenPrice } from '@mandate/schemas';
import { z } from 'zod';

const DAY_MS = 86_400_000;

const text = z.string().min(1).max(2_000);
const name = z.string().min(1).max(200);
const timeoutMs = z.int().min(1).max(DAY_MS);

export const PROTOCOLS = ['openai', 'anthropic'] as const;
export type ProtocolName = (typeof PROTOCOLS)[number];

/** The headers that an upstream may read its key from. `bearer`: `authorization: Bearer …`. */
const AUTH_STYLES = ['bearer', 'x-api-key', 'api-key', 'none'] as const;

const upstream = z.strictObject({
  protocol: z.enum(PROTOCOLS),
  /**
   * The address, as the SDK of the provider takes it: `https://api.openai.com/v1`, `https://api.anthropic.com`.
   * `{model}` becomes the model, for the deployments of Azure. Default: the address of the provider itself.
   */
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .optional(),
  apiKey: secretSource.optional(),
  /** Default: `bearer` for OpenAI's protocol, `x-api-key` for Anthropic's, and `none` without a key. */
  auth: z.enum(AUTH_STYLES).optional(),
  /** The name of the provider in rules and price lists. Default: the name of the upstream. */
  provider: name.optional(),
  /** Parameters that every URL gets: `api-version: 2024-10-21`. */
  query: z.record(name, text).default({}),
  /** Headers that every request gets. They are not secret. */
  headers: z.record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/), text).default({}),
  /** Whether the gateway asks for the usage of streams. False if the upstream refuses `stream_options`. */
  streamUsage: z.boolean().default(true),
  /** How long a connection may take to open. */
  connectMs: timeoutMs.default(10_000),
  /** How long the first byte of an answer may take. */
  firstByteMs: timeoutMs.default(600_000),
  /** How long an answer may pause between two bytes. */
  idleMs: timeoutMs.default(300_000),
});

const model = z.strictObject({
  upstream: name,
  /** The name of the model at the upstream. Default: the name of the entry. */
  model: name.optional(),
  /** What the upstream bills, if that is more than the price of the model in policies and price lists. */
  price: modelPriceDocument.optional(),
  /** The entry that serves the model while this upstream is away. */
  fallback: name.optional(),
});

export const modelsDocument = z.strictObject({
  version: z.literal(1),
  upstreams: z.record(name, upstream).default({}),
  /** By the name that clients use. */
  models: z.record(name, model).default({}),
  /** The upstream of models that have no entry, for each protocol. Without it, such a model is refused. */
  defaults: z.strictObject({ openai: name.optional(), anthropic: name.optional() }).default({}),
});

export type WrittenUpstream = z.output<typeof upstream>;
export type WrittenModels = z.output<typeof modelsDocument>;

/** An upstream with its key. */
export type Upstream = Omit<WrittenUpstream, 'baseUrl' | 'apiKey' | 'auth' | 'provider'> & {
  name: string;
  baseUrl: string;
  provider: string;
  auth: (typeof AUTH_STYLES)[number];
  /** Null if the upstream needs no key. */
  apiKey: string | null;
};

type WrittenModel = z.output<typeof model>;

/** An entry with its price, in micro-dollars for a million tokens. */
export type Model = Omit<WrittenModel, 'price'> & { price: TokenPrice | null };
