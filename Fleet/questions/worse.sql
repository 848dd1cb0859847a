-- What costs an average session more in one version than in the one before, for each class of devices. Between low_ns and
-- high_ns lies how much more, with a confidence of 99 %; what may be chance, is under 5 %, or in under 30 sessions is left out.
WITH asked AS (SELECT '1.5' AS version_before, '1.6' AS version_after),
costs AS (
  SELECT session_id, 'write' AS role, path_kind AS kind, CAST(wasted_ns AS DOUBLE) AS cost_ns FROM paths
  UNION ALL
  SELECT session_id, 'projection' AS role, kind, CAST(total_ns AS DOUBLE) AS cost_ns FROM projections
),
-- All sessions, with those that have nothing of a kind: these count as 0.
weights AS (
  SELECT coalesce(device_class, '') AS device_class, app_version,
    sum(sampling_weight) AS w, sum(sampling_weight * sampling_weight) AS ww, count(*) AS sessions
  FROM sessions GROUP BY coalesce(device_class, ''), app_version
),
sums AS (
  SELECT coalesce(s.device_class, '') AS device_class, s.app_version AS app_version, c.role AS role, c.kind AS kind,
    sum(s.sampling_weight * c.cost_ns) AS wx,
    sum(s.sampling_weight * s.sampling_weight * c.cost_ns) AS wwx,
    sum(s.sampling_weight * s.sampling_weight * c.cost_ns * c.cost_ns) AS wwxx,
    count(*) AS sessions
  FROM costs c JOIN sessions s ON s.session_id = c.session_id
  GROUP BY coalesce(s.device_class, ''), s.app_version, c.role, c.kind
),
-- The weighted mean, and its variance as the sum of squared weighted distances from it.
means AS (
  SELECT x.device_class AS device_class, x.app_version AS app_version, x.role AS role, x.kind AS kind,
    x.sessions AS sessions, w.sessions AS all_sessions,
    x.wx / w.w AS mean,
    greatest(0.0, x.wwxx - 2 * (x.wx / w.w) * x.wwx + (x.wx / w.w) * (x.wx / w.w) * w.ww) / (w.w * w.w) AS variance
  FROM sums x
  JOIN weights w ON w.device_class = x.device_class AND w.app_version = x.app_version
),
compared AS (
  SELECT after.role AS role, after.kind AS kind, after.device_class AS device_class,
    coalesce(before.mean, 0) AS before_ns, after.mean AS after_ns, after.mean - coalesce(before.mean, 0) AS more_ns,
    2.576 * sqrt(after.variance + coalesce(before.variance, 0)) AS margin_ns, after.sessions AS sessions
  FROM asked
  JOIN means after ON after.app_version = asked.version_after
  JOIN weights w ON w.app_version = asked.version_before AND w.device_class = after.device_class
  LEFT JOIN means before ON before.app_version = asked.version_before AND before.device_class = after.device_class
    AND before.role = after.role AND before.kind = after.kind
  WHERE after.sessions >= 30 AND w.sessions >= 30
)
SELECT role, kind, device_class, before_ns, after_ns, more_ns - margin_ns AS low_ns, more_ns + margin_ns AS high_ns, sessions
FROM compared
WHERE more_ns - margin_ns > 0 AND after_ns > 1.05 * before_ns
ORDER BY more_ns DESC, role, kind, device_class
