import type { GeneratedFile } from '../generated-file.ts';
import { auditDashboard } from './audit.ts';
import { dashboardText } from './dashboard.ts';
import { planeDashboard } from './plane.ts';

export const dashboards: readonly GeneratedFile[] = [planeDashboard, auditDashboard].map((dashboard) => ({
  path: `infra/grafana/generated/${dashboard.uid}.json`,
  make: () => dashboardText(dashboard),
}));
