-- How long the runs of each kind take on each class of devices: the median, and what one in twenty exceeds, to 1.6 %.
WITH counts AS (
  SELECT kind, coalesce(device_class, '') AS device_class, bucket, max(high_ns) AS high_ns,
    sum(weighted_count) AS runs
  FROM durations GROUP BY kind, coalesce(device_class, ''), bucket
),
ranked AS (
  SELECT kind, device_class, high_ns,
    sum(runs) OVER (PARTITION BY kind, device_class ORDER BY bucket) AS passed,
    sum(runs) OVER (PARTITION BY kind, device_class) AS all_runs
  FROM counts
)
SELECT kind, device_class, max(all_runs) AS runs,
  min(CASE WHEN passed >= 0.50 * all_runs THEN high_ns END) AS p50_ns,
  min(CASE WHEN passed >= 0.95 * all_runs THEN high_ns END) AS p95_ns
FROM ranked
GROUP BY kind, device_class
ORDER BY kind, device_class
