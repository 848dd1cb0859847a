-- Shapes of cascades that a version has and the one before has not, those of most time first.
WITH asked AS (SELECT '1.5' AS version_before, '1.6' AS version_after),
seen AS (
  SELECT s.app_version AS app_version, c.shape_hash AS shape_hash, max(c.root_path_kind) AS root_path_kind,
    count(*) AS sessions,
    sum(c.count * s.sampling_weight) AS weighted_count, sum(c.total_ns * s.sampling_weight) AS weighted_ns
  FROM cascades c JOIN sessions s ON s.session_id = c.session_id
  WHERE c.shape_hash IS NOT NULL
  GROUP BY s.app_version, c.shape_hash
),
trees AS (SELECT shape_hash, min(tree) AS tree FROM shapes GROUP BY shape_hash)
SELECT after.shape_hash AS shape_hash, after.root_path_kind AS root_path_kind, after.sessions AS sessions,
  after.weighted_count AS weighted_count, after.weighted_ns AS weighted_ns, trees.tree AS tree
FROM asked
JOIN seen after ON after.app_version = asked.version_after
LEFT JOIN seen before ON before.app_version = asked.version_before AND before.shape_hash = after.shape_hash
JOIN trees ON trees.shape_hash = after.shape_hash
WHERE before.shape_hash IS NULL
ORDER BY after.weighted_ns DESC, after.shape_hash
