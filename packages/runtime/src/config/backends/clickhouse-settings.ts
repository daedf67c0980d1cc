import { z } from 'zod';

/** The settings for ClickHouse. Without CLICKHOUSE_URL it runs in the process, with its data in the data folder. */
export const clickhouseSettings = z.object({
  CLICKHOUSE_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'http:// or https:// of the server. When absent, ClickHouse runs inside the process, on the data folder',
    ),
  CLICKHOUSE_USER: z.string().min(1).optional().describe('the user name; `default` when absent'),
  CLICKHOUSE_PASSWORD: z.string().optional().meta({ secret: true }).describe('the password'),
  CLICKHOUSE_DATABASE: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, 'is no plain name')
    .default('mandate')
    .describe('the database of the audit tables. Each log needs another database'),
  CLICKHOUSE_TLS_CA_PATH: z
    .string()
    .min(1)
    .optional()
    .describe('the certificate authorities for the server (PEM); the public ones when absent'),
  CLICKHOUSE_TLS_CERT_PATH: z
    .string()
    .min(1)
    .optional()
    .describe('the certificate of this process (PEM), if the server asks for one'),
  CLICKHOUSE_TLS_KEY_PATH: z
    .string()
    .min(1)
    .optional()
    .describe('the private key of that certificate (PEM, without a passphrase)'),
  CLICKHOUSE_TIMEOUT_MS: z
    .int()
    .min(1_000)
    .max(600_000)
    .default(30_000)
    .describe('how long the process waits for the whole answer to a statement'),
  CLICKHOUSE_COMPRESS: z
    .boolean()
    .default(true)
    .describe('whether requests and answers are compressed. On one machine, compression is of no use'),
});
export type ClickhouseSettings = Readonly<z.output<typeof clickhouseSettings>>;
