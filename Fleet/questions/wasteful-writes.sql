-- Which kinds of writes cost an average session most, in each version: time of runs after them whose output was the same
-- as before.
WITH weights AS (
  SELECT coalesce(app_version, '') AS app_version, sum(sampling_weight) AS weight
  FROM sessions GROUP BY coalesce(app_version, '')
)
SELECT
  w.app_version AS app_version,
  p.path_kind AS path_kind,
  sum(p.wasted_ns * s.sampling_weight) / max(w.weight) AS wasted_ns_a_session,
  sum(p.wasted_runs * s.sampling_weight) / max(w.weight) AS wasted_runs_a_session,
  count(*) AS sessions
FROM paths p
JOIN sessions s ON s.session_id = p.session_id
JOIN weights w ON w.app_version = coalesce(s.app_version, '')
GROUP BY w.app_version, p.path_kind
HAVING max(p.wasted_ns) > 0
ORDER BY w.app_version, wasted_ns_a_session DESC, p.path_kind
