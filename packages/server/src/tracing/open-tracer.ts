/** Opens the tracer from the settings. Without a receiver in the settings, OpenTelemetry is not loaded. */
import type { OtlpSettings } from '@mandate/runtime/settings';
import type { OpenedTracer, TracedProcess } from './otel-tracer.ts';

export async function openTracer(
  settings: OtlpSettings,
  traced: TracedProcess,
): Promise<OpenedTracer | null> {
  const { OTLP_URL: url } = settings;
  if (url === undefined) return null;
  const { createOtelTracer } = await import('./otel-tracer.ts');
  return createOtelTracer({ ...settings, OTLP_URL: url }, traced);
}
