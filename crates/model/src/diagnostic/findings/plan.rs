//! Findings of planning: limits, restrictions and unexpected state of Cloudflare, and remains of
//! earlier runs.

findings! {
    QUOTA = "PLAN0001" Error "the zone would exceed its record quota",
        "Cloudflare refuses records beyond the quota of the zone.",
        "Remove records from the spec, or ask Cloudflare for a larger quota.";
    CONFLICT = "PLAN0002" Error "the record conflicts with a live record that is left alone",
        "The two types cannot share a name, and the live record is not managed by this spec.",
        "Remove the record from the spec, or remove the live one where it is managed.";
    PLAN_LIMIT = "PLAN0003" Error "not possible on the Cloudflare plan of the zone",
        "Cloudflare refuses this record, rule or setting on this plan. `plan` knows the zone's plan from Cloudflare, and `validate` from `plan:` in the zone.",
        "Stay within the limit that the message names, or move the zone to a higher plan.";
    LIVE_DUPLICATE = "PLAN0004" Note "duplicate live record",
        "The zone has this record more than once. The second copy is left alone.",
        "Delete one of the copies in the dashboard.";
    MISSING_ZONE = "PLAN0005" Error "the zone does not exist in Cloudflare",
        "The account has no such zone, or the credentials cannot read it.",
        "Write `create: true` to create it, correct its name, or give the token access to it.";
    NO_SUCH_ZONE = "PLAN0006" Error "--zone matches no zone of the spec",
        "Nothing would be planned.",
        "Name a zone of the spec.";
    UNKNOWN_SETTING = "PLAN0007" Error "Cloudflare does not know the setting",
        "The zone has no setting of this name.",
        "Correct the name; settings have the names of the Cloudflare API.";
    NOT_EDITABLE = "PLAN0008" Error "the setting cannot be changed for this zone",
        "Cloudflare does not allow this change on the plan of the zone.",
        "Remove the setting, or change the plan of the zone.";
    OTHER_PROGRAMS_RECORDS = "PLAN0009" Warning "pruning would delete records that another program seems to maintain",
        "The records look like those of a certificate client or of external-dns, which would create them again or fail.",
        "Add the records to `ignore`.";
    MAINTAINED_DIFFERS = "PLAN0010" Warning "a record maintained elsewhere differs from the spec",
        "Another product of Cloudflare maintains the live record, so it is left alone.",
        "Remove the record from the spec, or change it where it is maintained.";
    UNKNOWN_RULE = "PLAN0011" Error "the managed ruleset has no such rule",
        "An entry tunes a rule that the ruleset does not have.",
        "Give the number of the rule, its description, or the beginning of its id.";
    NO_RULESET = "PLAN0012" Error "the managed ruleset is not available",
        "Cloudflare does not offer this managed ruleset to the zone, or the token cannot read it.",
        "Move the zone to a plan that has it, and give the token read access to the rulesets of the account.";
    STRANGE_OVERRIDES = "PLAN0013" Error "cannot read the live overrides",
        "The deployment has overrides in a form that this version does not know, so they cannot be merged with the spec.",
        "Write them under `raw`, or remove them in the dashboard.";
    IDLE_TUNING = "PLAN0014" Note "the entry has no effect",
        "The rule or tag already has the state that the entry sets: because of the paranoia level, another entry, or its default.",
        "Remove the entry, or keep it for a later change of the level.";
    MISPLACED = "PLAN0015" Error "cannot place the rule",
        "The desired order is not possible with the live rules.",
        "Correct `before` or `after`, or the order of the entries.";
    UNNAMED_RULE = "PLAN0016" Note "a live rule was recognized by its content",
        "The live rule has no `ref`. After its content changes in the spec, it is no longer recognized, and a second rule is created.",
        "Give the live rule the name of the spec as its `ref` before you change it.";
    NOT_ALLOWED = "PLAN0017" Warning "the Cloudflare plan of the zone may not allow this",
        "According to its documentation, Cloudflare refuses this on the plan of the zone.",
        "Stay within the limit that the message names, or move the zone to a higher plan.";
    OUT_OF_REACH = "PLAN0018" Note "some attack categories can never reach the threshold",
        "Even if every active rule of the category matches, the score stays below the threshold, so OWASP alone never acts on it.",
        "Keep the Cloudflare Managed Ruleset on, or lower the threshold.";
    UNDO_CONFLICT = "PLAN0019" Error "changed since it was applied",
        "The live value is no longer what the apply left, so undoing it would overwrite a later change.",
        "Check the later change; --skip-conflicts keeps it and undoes the rest.";
    PART = "PLAN0020" Note "only some of the zones are planned",
        "--shard selects a part of the zones of the spec.",
        "Run the other shards as well.";
    LOCK_CHANGED = "PLAN0021" Note "Cloudflare changed a managed ruleset",
        "The ruleset differs from the version in `waf.lock`.",
        "Review it with `zonewright waf rules --check SPEC`; accept it with `zonewright waf rules --lock SPEC`.";
    REPEATED_CHANGE = "PLAN0022" Warning "this change was applied before and is missing again",
        "Something may be reverting it.",
        "Find out who else writes to the zone. The journals say what was applied and when.";
    DROPPED_ZONE = "PLAN0023" Warning "a zone is no longer in the spec",
        "The base has the zone and the spec does not. Nothing in the zone is compared or changed.",
        "Add the zone again if it was removed by mistake; to delete its records, keep it with `records: []`.";
    OF_SUBMODULE = "PLAN0024" Warning "the base is a revision of a submodule",
        "A submodule has branches and tags of its own. A change that turns the directory of the spec into a submodule also chooses what they point to.",
        "Name the base by the full id of its commit, which means the same in every repository.";
    QUOTA_UNCERTAIN = "PLAN0030" Warning "the zone may exceed its record quota",
        "Zones on this plan usually hold fewer records, and Cloudflare did not say how many this zone may hold.",
        "Check the quota of the zone. Cloudflare refuses records beyond it.";
    INVALID_GLOB = "PLAN0031" Error "--zone is not a valid glob",
        "Nothing would be planned.",
        "Write a zone name, or a glob such as `*.example.com`.";
    BESIDE_MAINTAINED = "PLAN0032" Warning "a record is created beside one that is maintained elsewhere",
        "Another product of Cloudflare maintains a record with the same name and type. It stays beside the new one.",
        "Change the live record where it is maintained, or remove this one from the spec.";
    AMBIGUOUS_RULE = "PLAN0033" Error "several rules have this name",
        "The entry names more than one rule of the managed ruleset.",
        "Name one of them by its id.";
    UNKNOWN_RULESET_TAG = "PLAN0034" Error "the managed ruleset has no rule with this tag",
        "An entry tunes a tag that no rule of the ruleset has.",
        "Name a tag of the ruleset; `zonewright waf rules` lists them.";
    LOCK_UNREADABLE = "PLAN0035" Warning "cannot read `waf.lock`",
        "Changes that Cloudflare made to its managed rulesets are not reported.",
        "Write the file again with `zonewright waf rules --lock SPEC`.";
    COMBINED_LENGTH = "PLAN0036" Error "too much text at one name and type",
        "Cloudflare stores at most 8,192 characters of all values of one name and type together, and refuses the record that exceeds it.",
        "Remove values that are no longer needed, or use another name.";
    STRANDED_DS = "PLAN0037" Error "a delegation would leave its DS record behind",
        "A DS record needs NS records at its name, so Cloudflare refuses to delete the last one.",
        "Keep the NS records, or have the DS record deleted too: remove it from the spec and from `ignore`.";
    NO_LONGER_MANAGED = "PLAN0038" Warning "the spec no longer names something; it stays as it is",
        "What the spec does not name is not managed: removing a line changes nothing in Cloudflare. Only whole records and rules that the base had are deleted.",
        "To change it, write the value that you want, such as `proxied: false`. To leave it to others, do nothing.";
    TTL_NOT_IN_FORCE = "PLAN0039" Warning "the TTL of the spec is not in force",
        "The live record is proxied, the spec does not say `proxied`, and Cloudflare gives every proxied record the TTL `auto`.",
        "Write `proxied: false` beside the `ttl`, or remove the `ttl`.";
    WEAKER_MEANWHILE = "PLAN0041" Warning "weaker protection while the plan is applied",
        "In the order that the plan uses, some requests are stopped less in between than before and after the plan.",
        "Split the change into two plans: first add what stops these requests, then remove the rest.";
    STRICTER_MEANWHILE = "PLAN0042" Note "stricter protection while the plan is applied",
        "In the order that the plan uses, some requests are stopped more in between than before and after the plan.",
        "Apply it when there is little traffic, or split the change into two plans.";
    EXPIRY_AHEAD = "PLAN0043" Note "what happens after the last day of an entry",
        "The spec sets the last day of the entry. What happens after that day needs no further consent.",
        "If that is not intended, remove the entry or write a later date.";
    ACCOUNT_NOT_READ = "PLAN0044" Note "the plan does not know the rules of the account",
        "In an Enterprise zone, rules of the account run before those of the zone. A plan does not read them, so \"not deployed\" and the direction of a change are about the zone alone.",
        "Show what reaches the zone from its account with `zonewright waf status ZONE`.";
    ONLY_A_PART = "PLAN0045" Warning "only a part of the plan",
        "--only chooses operations by their addresses. The others are left out, and what they would change still differs afterwards.",
        "Plan and apply the rest as well, without --only.";
    PART_NEEDS_MORE = "PLAN0046" Error "the chosen part needs other operations of the plan",
        "An operation that --only chooses cannot be carried out, or does something else, without one that is left out.",
        "Choose that operation as well, or plan the whole.";
    NOTHING_CHOSEN = "PLAN0047" Warning "--only names no operation",
        "No operation of the plan has this address: what it names is in sync, or the address is written in another way.",
        "Compare it with the addresses in the JSON of the whole plan (`operations[].address`). `*` stands for anything.";
    LASTS_LONGER = "PLAN0048" Warning "a weakening lasts longer than the previous spec said",
        "The last day of an entry that weakens the protection is later, or gone. Nothing at Cloudflare changes, so no operation shows it. \
         An entry that is no longer narrow needs the consent weakens-protection.",
        "Make sure that it is still needed, or keep the earlier day.";
    OTHER_CUTS = "PLAN0049" Note "the text is live with other cuts",
        "A live TXT record of the name has the same text, cut into strings at other places. Cloudflare may keep both, or call them identical \
         and refuse the second one; then the apply counts it as live, and plans go on to show it.",
        "Write the strings as they are live, if the cuts do not matter.";
    EMPTIED_NAME = "PLAN0050" Warning "a name is without records since an earlier apply",
        "An apply deleted the records of the name and ended before it created what replaces them.",
        "Apply this plan, or restore the deleted records with `zonewright undo JOURNAL`.";
    LATER_JOURNAL_UNREAD = "PLAN0051" Note "a later journal was not read",
        "An undo asks the journals of later applies which records were deleted and created again, because these have new ids. At most the 100 newest journals of at most 32 MiB are asked.",
        "If the undo refuses a record that nobody changed, restore it from the journal by hand, or use `--skip-conflicts`.";
    WEAKENED = "PLAN0052" Warning "the live protection is weaker than the spec says",
        "The section promises protection that is not in force: an override, or a rule that the spec does not name, takes it away, and the plan \
         leaves that alone. `drift` calls the deployment `weakened`.",
        "Write the live values into the spec (`zonewright pull`), remove what the spec does not name (`waf.unmanaged: prune`), accept it \
         (`waf.accept`), or undo it at Cloudflare.";
    LEFT_OPEN = "PLAN0053" Note "the live protection has what the spec leaves open",
        "A key that the spec leaves out keeps its live value. The protection is at least what the section promises.",
        "To keep it that way, write the value into the spec; `zonewright pull` does it for what weakens.";
    WRITTEN_BY_APPLY = "PLAN0054" Note "an apply wrote the value that is replaced",
        "Without a base, a plan does not know who made the live value that it replaces. The journals say that an apply wrote it, and when. The plan does not depend on them: its operations and consents are the same without them.",
        "Name the previous version of the spec with `--base`; then the plan knows what the spec wanted.";
    OTHER_PLAN = "PLAN0055" Warning "the zone is on another Cloudflare plan",
        "`plan` in the spec tells `validate` which limits apply to the zone. Cloudflare says that the zone has another plan. The plan uses Cloudflare's answer.",
        "Correct `plan` in the spec, or move the zone to that plan.";
    ZONE_IN_DOUBT = "PLAN0057" Warning "the zone may have been created",
        "The apply that is undone was interrupted while it created the zone. Nothing else was sent for the zone.",
        "Look for the zone in the dashboard, and delete it there if it is not wanted.";
    CHANGED_ZONES = "PLAN0060" Note "only the zones of the change are planned",
        "`--changed` plans the zones that differ from the base, and zones that name them or that their expectations need. Drift in other zones, and changes that an earlier apply did not make, are not shown.",
        "Plan without `--changed` to compare all zones, or run `zonewright drift` on a schedule.";
    REVERTS_APPLY = "PLAN0070" Note "the plan reverts an apply",
        "The journals of the last 24 hours say that an apply made the changes that this plan takes back. The plan does not depend on them: its operations and consents are the same without them.",
        "If you did not mean to revert it, look for what changed the spec since: another branch, or an undo after which the spec stayed the same. `zonewright undo` lists the applies.";
}
