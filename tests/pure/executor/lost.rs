//! Responses that were lost, or that do not show the result of a request.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_lost_answer_is_seen_by_reading() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1), a("b", 2)], &zone);
    let both = vec![stored(1, &a("a", 1)), stored(2, &a("b", 2))];
    let ran = run(&plan, &zone, BATCH, &[Lost], &[both]).await;
    assert_eq!(
        (outcome_names(&ran), ran.sent.len(), journalled(&ran)),
        (vec!["done", "done"], 1, vec!["done".to_owned()])
    );
    // Without effect it is sent again, but never more than five times.
    let ran = run(&plan, &zone, BATCH, &[Lost, Yes], &[vec![]]).await;
    assert_eq!(
        (outcome_names(&ran), journalled(&ran)),
        (vec!["done", "done"], vec!["lost".to_owned(), "done".into()])
    );
    let ran = run(&plan, &zone, BATCH, &vec![Lost; 50], &[vec![]]).await;
    assert_eq!((outcome_names(&ran), ran.sent.len()), (vec!["unknown", "unknown"], 5));
    // A reader of the journal must check the zone, too: the listings may have been old.
    assert_eq!(journalled(&ran), ["lost", "lost", "lost", "lost", "unknown"]);
}

#[tokio::test(start_paused = true)]
async fn resends_are_counted_in_a_row() {
    let zone = live(&[]);
    let wanted: Vec<_> = (1..=12).map(|n| a(&format!("h{n:02}"), n)).collect();
    let plan = plan(&wanted, &zone);
    // Each of twelve requests is lost twice with effect seen at the second look.
    let mut reads = Vec::new();
    for n in 1..=12_usize {
        let held: Vec<_> = wanted[..n].iter().enumerate().map(|(i, f)| stored(i, f)).collect();
        reads.push(held[..n - 1].to_vec());
        reads.push(held);
    }
    let ran = run(&plan, &zone, Lowering::Single, &vec![Lost; 24], &reads).await;
    assert!(outcome_names(&ran).iter().all(|w| *w == "done"), "{:?}", outcome_names(&ran));
}

#[tokio::test(start_paused = true)]
async fn what_someone_else_changed_is_not_called_done() {
    let old = stored(1, &a("a", 1));
    let zone = live(std::slice::from_ref(&old));
    let plan = plan(&[a("a", 2)], &zone);
    let other = stored(1, &a("a", 9));
    let ran = run(&plan, &zone, BATCH, &[Lost], &[vec![other]]).await;
    // Our record may have existed in between.
    assert_eq!(
        (outcome_names(&ran), journalled(&ran)),
        (vec!["unknown"], vec!["unknown".to_owned()])
    );
    // A create whose value appeared with other facets is someone else's as well.
    let zone = live(&[]);
    let mut wanted = a("b", 1);
    wanted.facets.ttl = Some(Ttl::seconds(300).unwrap());
    let plan = self::plan(&[wanted], &zone);
    let ran = run(&plan, &zone, BATCH, &[Lost], &[vec![stored(1, &a("b", 1))]]).await;
    assert_eq!(outcome_names(&ran), ["unknown"]);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_came_late_is_not_refused_twice() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1), a("b", 2)], &zone);
    let both = vec![stored(1, &a("a", 1)), stored(2, &a("b", 2))];
    let ran = run(&plan, &zone, BATCH, &[Lost, No(400, 81058)], &[vec![], both]).await;
    assert_eq!(
        (outcome_names(&ran), journalled(&ran)),
        (vec!["done", "done"], vec!["lost".to_owned(), "done".into()])
    );
    // "Identical record exists", although there is none, is a refusal.
    let ran = run(&plan, &zone, Lowering::Single, &[No(400, 81058), Yes], &[vec![]]).await;
    assert_eq!(outcome_names(&ran), ["refused", "done"]);
}

/// Listings may lag behind for longer than the program waits.
#[tokio::test(start_paused = true)]
async fn a_request_that_may_have_come_late_is_not_called_refused() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1), a("b", 2)], &zone);
    let ran = run(&plan, &zone, Lowering::Single, &[Lost, No(400, 81058), Yes], &[vec![]]).await;
    assert_eq!(outcome_names(&ran), ["unknown", "done"]);
    assert_eq!(
        (journalled(&ran), ran.waited.as_secs()),
        (["lost", "unknown", "done"].map(Into::into).into(), 7)
    );
    // Only the lost request itself.
    let ran = run(&plan, &zone, Lowering::Single, &[Lost, Yes, No(400, 81058)], &[vec![]]).await;
    assert_eq!(outcome_names(&ran), ["done", "refused"]);
    let ran = run(&plan, &zone, BATCH, &[Lost, No(400, 81058)], &[vec![]]).await;
    assert_eq!((outcome_names(&ran), ran.sent.len()), (vec!["unknown", "unknown"], 2));

    // An error under a success status does not prove it, either.
    let ran = run(&plan, &zone, Lowering::Single, &[Lost, No(200, 10013), Yes], &[vec![]]).await;
    assert_eq!(outcome_names(&ran), ["unknown", "done"]);

    // Nor does "the name is taken": the record of the earlier attempt may be the one that takes it.
    for code in [81053, 81054] {
        let ran = run(&plan, &zone, Lowering::Single, &[Lost, No(400, code), Yes], &[vec![]]).await;
        assert_eq!(
            (outcome_names(&ran), journalled(&ran)[1].as_str()),
            (vec!["unknown", "done"], "unknown")
        );
        let there = vec![stored(1, &a("a", 1))];
        let ran = run(
            &plan,
            &zone,
            Lowering::Single,
            &[Lost, No(400, code), Yes],
            &[vec![], vec![], there],
        )
        .await;
        assert_eq!((outcome_names(&ran), ran.waited.as_secs()), (vec!["done", "done"], 1));
        let ran = run(&plan, &zone, Lowering::Single, &[No(400, code), Yes], &[vec![]]).await;
        assert_eq!(outcome_names(&ran), ["refused", "done"], "nothing was lost before");
    }

    let (zone, plan) = swap();
    let ran =
        run(&plan, &zone, BATCH, &[Lost, No(404, 81044)], std::slice::from_ref(&zone.records))
            .await;
    assert_eq!(
        (outcome_names(&ran), journalled(&ran)),
        (vec!["unknown"; 2], ["lost", "unknown"].map(Into::into).into())
    );
}

/// One name that is taken by someone else does not prevent the rest of a batch.
#[tokio::test(start_paused = true)]
async fn a_taken_name_is_found_in_a_batch_that_was_lost() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1), a("b", 2), a("c", 3), a("d", 4)], &zone);
    let taken = || No(400, 81054);
    let script = [Lost, taken(), Yes, taken(), Yes, taken()];
    let ran = run(&plan, &zone, BATCH, &script, &[vec![]]).await;
    assert_eq!((outcome_names(&ran), ran.sent.len()), (vec!["done", "done", "done", "unknown"], 6));
    // A batch that is refused as a whole had no effect at the first attempt, either.
    let ran =
        run(&plan, &zone, BATCH, &[Lost, No(400, 9003), Yes, taken(), Yes, taken()], &[vec![]])
            .await;
    assert_eq!(outcome_names(&ran), ["done", "done", "done", "refused"]);
}

/// An operation on a record that someone else changed is not repeated when a batch is split.
#[tokio::test(start_paused = true)]
async fn what_someone_else_changed_is_not_sent_again_in_halves() {
    let zone = live(&[stored(1, &a("a", 1))]);
    let plan = plan(&[a("a", 2), a("b", 2), a("c", 3)], &zone);
    let other = vec![stored(1, &a("a", 9))];
    let script = [Lost, No(400, 81054), Yes];
    let ran = run(&plan, &zone, BATCH, &script, &[zone.records.clone(), other]).await;
    assert_eq!((outcome_names(&ran), ran.sent.len()), (vec!["unknown", "done", "done"], 3));
    let (_, last) = &ran.sent[2];
    assert_eq!(
        (&last["patches"], last["posts"].as_array().map(Vec::len)),
        (&Value::Null, Some(2)),
        "{last}"
    );
}

/// Losses are counted in a row, and a response resets the count.
#[tokio::test(start_paused = true)]
async fn an_answer_resets_the_count_of_losses() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1), a("b", 2)], &zone);
    let first = vec![stored(1, &a("a", 1))];
    let script = [Lost, Lost, Lost, No(400, 81058), Lost, Lost, Lost, Yes];
    let reads = [vec![vec![]; 3], vec![first]].concat();
    let ran = run(&plan, &zone, Lowering::Single, &script, &reads).await;
    assert_eq!((outcome_names(&ran), ran.sent.len()), (vec!["done", "done"], 8));
}

/// A contradictory response leaves the result of its operations unknown, like a lost response.
#[tokio::test(start_paused = true)]
async fn what_an_answer_of_yes_and_no_left_open_is_not_called_refused() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1), a("b", 2)], &zone);
    let first = vec![stored(1, &a("a", 1))];
    let ran = run(&plan, &zone, BATCH, &[No(200, 10013), No(400, 81058)], &[first]).await;
    assert_eq!((outcome_names(&ran), ran.sent.len()), (vec!["done", "unknown"], 2));
}

/// A redirect does not show the result of the first attempt.
#[tokio::test(start_paused = true)]
async fn a_redirect_on_the_second_attempt_leaves_the_result_unknown() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1), a("b", 2)], &zone);
    for (answer, second) in
        [(Busy(500), "not sent"), (Busy(429), "not sent"), (Elsewhere(302), "done")]
    {
        for (script, first) in [(vec![answer.clone()], "refused"), (vec![Lost, answer], "unknown")]
        {
            let ran = run(&plan, &zone, Lowering::Single, &script, &[vec![]]).await;
            assert_eq!(outcome_names(&ran), [first, second]);
        }
    }
}

/// It is unknown whether the create had an effect, and the name must not stay empty.
#[tokio::test(start_paused = true)]
async fn a_name_is_filled_again_though_the_zone_cannot_be_read() {
    let (zone, plan) = swap();
    // Two of one id are never as many as Cloudflare counts.
    let unreadable = vec![stored(7, &a("x", 7)), stored(7, &a("x", 7))];
    for script in [vec![Yes, Lost, Yes], vec![Yes, Lost, No(401, 10000), Yes]] {
        let reads = [vec![], unreadable.clone()];
        let reads = if script.len() == 3 { &reads[1..] } else { &reads[..] };
        let ran = run(&plan, &zone, Lowering::Single, &script, reads).await;
        assert_eq!(
            (outcome_names(&ran), ran.sent.len()),
            (vec!["restored", "unknown"], script.len())
        );
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_lost_and_not_sent_again_is_unknown() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1), a("b", 2), a("c", 3)], &zone);
    // The batch is lost, there are no batches when it is sent again, and then the credentials are
    // refused.
    let ran =
        run(&plan, &zone, Lowering::Batches(2), &[Lost, Unreadable(404), No(403, 9109)], &[vec![]])
            .await;
    assert_eq!(outcome_names(&ran), ["unknown", "unknown", "not sent"]);
    for outcome in &ran.applied.outcomes[..2] {
        let OperationOutcome::Unknown(reason) = outcome else { panic!() };
        assert!(reason.contains("not sent again: refused with 9109"), "{reason}");
    }
    assert_eq!(journalled(&ran).last().map(String::as_str), Some("unknown"), "an undo must look");
    // The state of the zone is still reported, and the rest is not sent.
    let there = vec![stored(1, &a("a", 1))];
    let ran = run(&plan, &zone, Lowering::Single, &[Lost, No(400, 81045)], &[vec![], there]).await;
    assert_eq!((outcome_names(&ran), ran.sent.len()), (vec!["done", "not sent", "not sent"], 2));
    let ran = run(&plan, &zone, Lowering::Single, &[Lost, No(400, 81045)], &[vec![]]).await;
    assert_eq!(outcome_names(&ran), ["unknown", "not sent", "not sent"]);
    let ran =
        run(&plan, &zone, Lowering::Batches(2), &[Lost, No(404, 7000), No(403, 9109)], &[vec![]])
            .await;
    assert_eq!(
        outcome_names(&ran),
        ["refused", "not sent", "not sent"],
        "without batches, none had an effect"
    );
    // A refusal of the content would have applied to the first attempt, too.
    let ran = run(&plan, &zone, Lowering::Single, &[Lost, No(400, 9003)], &[vec![]]).await;
    assert_eq!(outcome_names(&ran), ["refused", "done", "done"]);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_cannot_be_read_says_nothing_of_what_was_lost_before() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1)], &zone);
    for lowering in [Lowering::Single, BATCH] {
        let ran = run(
            &plan,
            &zone,
            lowering,
            &[vec![Lost], vec![Unreadable(400); 9]].concat(),
            &[vec![]],
        )
        .await;
        assert_eq!((outcome_names(&ran), ran.sent.len()), (vec!["unknown"], 5));
        assert_eq!(journalled(&ran).last().map(String::as_str), Some("unknown"));
        let ran = run(&plan, &zone, lowering, &[Lost, Unreadable(400), Yes], &[vec![]]).await;
        assert_eq!(outcome_names(&ran), ["done"]);
        let ran = run(&plan, &zone, lowering, &[Unreadable(400)], &[vec![]]).await;
        assert_eq!((outcome_names(&ran), ran.sent.len()), (vec!["refused"], 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_zone_that_cannot_be_read_leaves_it_unknown() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1), a("b", 2)], &zone);
    // A listing that never contains the number of records that it counts.
    struct Liar(Service);
    impl Reader for Liar {
        async fn read(&self, request: &Request) -> Result<Envelope, ApiError> {
            let mut answer = self.0.read(request).await?;
            answer.page.total_count = Some(99);
            Ok(answer)
        }
    }
    let script = Arc::new(Mutex::new(VecDeque::from([Lost])));
    let service = Service { script, reads: Arc::default(), sent: Arc::default() };
    let liar = Liar(service.clone());
    let directory = tempfile::TempDir::new().unwrap();
    let journal =
        Journal::begin(directory.path(), "digest", || std::time::SystemTime::UNIX_EPOCH).unwrap();
    let applied = execute(&liar, &service, &journal, &plan, &zone, Lowering::Single).await;
    assert!(
        matches!(
            applied.outcomes.as_slice(),
            [OperationOutcome::Unknown(_), OperationOutcome::NotSent(_)]
        ),
        "{:?}",
        applied.outcomes
    );
    assert!(applied.wrote_anything());
}
