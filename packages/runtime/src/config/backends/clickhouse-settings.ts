import { z } from 'zod';

/** How ClickHouse is reached. Without CLICKHOUSE_URL it runs in the process, on the data folder. */
export const clickhouseSettings = z.object({
  CLICKHOUSE_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'http:// or https:// of the server; ClickHouse runs in the process, on the data folder, when absent',
    ),
  CLICKHOUSE_USER: z.string().min(1).optional().describe('as whom; the user `default` when absent'),
  CLICKHOUSE_PASSWORD: z.string().optional().meta({ secret: true }).describe('and with which password'),
  CLICKHOUSE_DATABASE: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, 'is no plain name')
    .default('mandate')
    .describe('where the tables lie, one for each log'),
  CLICKHOUSE_TLS_CA_PATH: z
    .string()
    .min(1)
    .optional()
    .describe('the certificates (PEM) that vouch for the server; the public authorities when absent'),
  CLICKHOUSE_TLS_CERT_PATH: z
    .string()
    .min(1)
    .optional()
    .describe('the certificate (PEM) that says who this process is, where the server asks for one'),
  CLICKHOUSE_TLS_KEY_PATH: z.string().min(1).optional().describe('and its key (PEM, without a passphrase)'),
  CLICKHOUSE_TIMEOUT_MS: z
    .int()
    .min(1_000)
    .max(600_000)
    .default(30_000)
    .describe('how long the whole answer to a statement is waited for'),
  CLICKHOUSE_COMPRESS: z
    .boolean()
    .default(true)
    .describe('whether what is sent and answered travels compressed; not worth it on one machine'),
});
export type ClickhouseSettings = Readonly<z.output<typeof clickhouseSettings>>;
