//! Findings about planning against a snapshot.

findings! {
    NOT_IN_SNAPSHOT = "SNAP0001" Error "the snapshot lacks what the spec needs",
        "The snapshot does not contain this part of the zone, so its live state is unknown. The rest is planned.",
        "Take a new snapshot with this spec, with credentials that may read this part.";
    OLD_SNAPSHOT = "SNAP0002" Warning "the snapshot is old",
        "Changes made since the snapshot was taken are not in this plan.",
        "Take a new snapshot, or allow more with --max-snapshot-age.";
    OF_SNAPSHOT = "SNAP0003" Note "this plan is against a snapshot",
        "The live zone may differ from the snapshot.",
        "Plan against the live zone before you apply.";
}
