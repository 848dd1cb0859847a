-- Which session to open for each of the writes that cost a version most: the command that makes its page, and the page at
-- the event that began the longest such cascade.
WITH asked AS (SELECT '1.6' AS version),
costs AS (
  SELECT p.path_kind AS path_kind, p.session_id AS session_id, s.log_uri AS log_uri, p.wasted_ns AS wasted_ns,
    p.wasted_ns * s.sampling_weight AS weighted_ns
  FROM asked
  JOIN sessions s ON s.app_version = asked.version
  JOIN paths p ON p.session_id = s.session_id
  WHERE p.wasted_ns > 0
),
kinds AS (
  SELECT path_kind, sum(weighted_ns) AS weighted_ns,
    row_number() OVER (ORDER BY sum(weighted_ns) DESC, path_kind) AS place
  FROM costs GROUP BY path_kind
),
worst AS (
  SELECT path_kind, session_id, log_uri, wasted_ns,
    row_number() OVER (PARTITION BY path_kind ORDER BY wasted_ns DESC, session_id) AS place
  FROM costs
),
roots AS (
  SELECT w.path_kind AS path_kind, c.exemplar_seq AS exemplar_seq,
    row_number() OVER (PARTITION BY w.path_kind ORDER BY c.total_ns DESC, c.exemplar_seq) AS place
  FROM worst w
  JOIN cascades c ON c.session_id = w.session_id AND c.root_path_kind IN
    (concat('set ', w.path_kind), concat('splice ', w.path_kind), concat('remove ', w.path_kind))
  WHERE w.place = 1
)
SELECT k.path_kind AS path_kind, w.wasted_ns AS wasted_ns, w.session_id AS session_id,
  -- A quote in a path, as a shell takes it: chr(39) is the quote, chr(92) the backslash.
  concat('replay report ', chr(39),
    replace(w.log_uri, chr(39), concat(chr(39), chr(92), chr(39), chr(39))), chr(39),
    ' -o session-', CAST(k.place AS VARCHAR(20)), '.html') AS command,
  concat('session-', CAST(k.place AS VARCHAR(20)), '.html',
    CASE WHEN r.exemplar_seq IS NULL THEN '' ELSE concat('#event=', CAST(r.exemplar_seq AS VARCHAR(20))) END) AS page
FROM kinds k
JOIN worst w ON w.path_kind = k.path_kind AND w.place = 1
LEFT JOIN roots r ON r.path_kind = k.path_kind AND r.place = 1
WHERE k.place <= 5
ORDER BY k.place
