import type { Metrics } from '../metrics.ts';
import type { HttpServer } from './http-server-type.ts';

/**
 * Measures the time of every answer by route pattern, never by path. Paths contain ids, and each id would be a new
 * series.
 */
export function measureRequests(server: HttpServer, metrics: Metrics): void {
  const durations = metrics.histogram({
    name: 'mandate_http_request_duration_seconds',
    help: 'The time from the headers of a request to the last byte of its answer',
    labels: ['method', 'route', 'status'],
  });
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.is404 ? 'unmatched' : (request.routeOptions.url ?? 'unmatched');
    const labels = { method: request.method, route, status: String(reply.statusCode) };
    durations.observe(labels, reply.elapsedTime / 1_000);
    request.log.debug({ ...labels, durationMs: reply.elapsedTime }, 'answered');
    done();
  });
}
