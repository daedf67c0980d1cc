/** Opens a tracer with or without a receiver, and prints the OpenTelemetry modules that were loaded. */
import { registerHooks } from 'node:module';

const loaded: string[] = [];
registerHooks({
  resolve(specifier, context, next) {
    // The API of OpenTelemetry is allowed, because the metrics client imports it. It does nothing by itself.
    if (/^@opentelemetry\/(?!api$)/.test(specifier)) loaded.push(specifier);
    return next(specifier, context);
  },
});
const { silentLogger } = await import('@mandate/runtime');
const { otlpSettings } = await import('@mandate/runtime/settings');
const { createMetrics, openTracer } = await import('../index.ts');
const [OTLP_URL] = process.argv.slice(2);
const log = silentLogger();
const metrics = createMetrics({ service: 'test' });
const opened = await openTracer(otlpSettings.parse({ OTLP_URL }), {
  service: 'test',
  version: '1',
  log,
  metrics,
});
await opened?.stop();
process.stdout.write(JSON.stringify({ isOn: opened !== null, loaded: loaded.length }));
