import { z } from 'zod';

/**
 * The maximum number of waiting spans. When the process ends, all of them are sent at once, so a receiver must be
 * able to accept this many.
 */
const MAX_QUEUE_SPANS = 32_000;

/** The address for traces. Without OTLP_URL no traces are made. */
export const otlpSettings = z.object({
  OTLP_URL: z
    .url({ protocol: /^https?$/ })
    .refine((url) => isBare(new URL(url)), {
      error: 'must be without user, password, query and fragment: credentials belong into OTLP_HEADERS',
    })
    .optional()
    .meta({ secret: true })
    .describe(
      'http:// or https:// of a receiver of OTLP over HTTP; /v1/traces is added to it. When absent, there are no traces',
    ),
  OTLP_HEADERS: z
    .array(z.string().regex(/^[\w!#$%&'*.^`|~+-]+=[\x20-\x7e]+$/, 'is not name=value'))
    .optional()
    .meta({ secret: true })
    .describe('headers to send, as name=value, such as a credential; write %2C for a comma in a value'),
  OTLP_TIMEOUT_MS: z
    .int()
    .min(100)
    .max(10_000)
    .default(3_000)
    .describe(
      'how long a delivery may take, including its repeats; also the last delivery at the end of the process',
    ),
  OTLP_QUEUE_SPANS: z
    .int()
    .min(512)
    .max(MAX_QUEUE_SPANS)
    .default(8_192)
    .describe('how many spans may wait for delivery. More are dropped and counted'),
  OTLP_TRACE_RATIO: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe(
      'which share of the traces that begin in this process is recorded. For other traces, the caller decides',
    ),
});
export type OtlpSettings = Readonly<z.output<typeof otlpSettings>>;

/**
 * True if the URL has no query and no user. A path is appended to the URL, and a user in the URL would not be sent.
 */
function isBare({ username, password, search, hash }: URL): boolean {
  return `${username}${password}${search}${hash}` === '';
}
