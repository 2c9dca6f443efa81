"""Statements of everyday life with the key and the label they should get."""
# ruff: noqa: E501

CASES = """
/health/allergies/peanuts | Peanut allergy (food) | The user is allergic to peanuts.
/health/allergies/peanuts-shellfish | Peanut and shellfish allergy (food) | The user is allergic to peanuts and shellfish.
/health/allergies/peanuts | No peanut allergy (food) | The user is not allergic to peanuts anymore.
/health/allergies/nut | Nut allergy (food) | The user has a severe nut allergy.
/health/allergies/lactose | Lactose intolerance (allergy, food) | The user is lactose intolerant.
/home/city | Where they live (home, city, town, address) | The user lives in Porto.
/home/city | Where they live (home, city, town, address) | The user lives in Porto, Portugal.
/home/city | Where they live (home, city, town, address) | Ana lives in Porto.
/home/city | Where they live (home, city, town, address) | The user moved to Lisbon.
/home/city | Where they live (home, city, town, address) | The user moved to Lisbon on 3 March 2026.
/plans/move-lisbon | Plan to move house (home) | The user is moving to Lisbon in April 2026.
/home/household | Who they live with (home) | The user lives with two flatmates.
/home/housing | Kind of home (house, flat) | The user lives in a small flat near the river.
/work/job | Job (profession, occupation, work) | The user works as a nurse.
/work/job | Job (profession, occupation, work) | The user works as a nurse in a children's hospital.
/work/job | Job (profession, occupation, work) | The user is a nurse from Porto.
/work/job | Job (profession, occupation, work) | The user is a software engineer.
/work/employer | Employer (company they work for) | The user works at Siemens.
/work/employer | Employer (company they work for) | The user works for a bank.
/work/place | Where they work from (remote) | The user works from home on Fridays.
/work/business/bakery | Business they run (work) | The user runs a small bakery.
/work/business/bakery | Business they run (work) | The user's bakery opens at six.
/work/career | Career news (job, work) | The user started a new job on 3 March 2026.
/work/boss | Their boss (work) | The user's boss is called Marta.
/work/status | Work status (job) | The user is retired.
/plans/birthday-present | Plan: birthday present mother | The user wants to buy a birthday present for their mother.
/identity/birthday | Birthday (date of birth, how old) | The user's birthday is on 4 May.
/identity/birthday | Birthday (date of birth, how old) | The user was born on 4 May 1990.
/identity/birthplace | Birthplace (where they were born) | The user was born in Iowa.
/identity/age | Age (how old they are) | The user is 34.
/identity/age | Age (how old they are) | The user is 34 years old.
/identity/name | Name (what to call them) | The user is called Ana.
/identity/name | Name (what to call them) | The user wants to be called Liz.
/identity/name | Name (what to call them) | The user's name is Ana.
/identity/pronouns | Pronouns | The user uses the pronouns they/them.
/identity/languages/german-french | Languages they speak | The user speaks German and a little French.
/identity/origin | Where they come from (city, country) | The user is from Iowa.
/identity/nationality | Nationality (country) | The user is German.
/contact/email | Email address (contact) | The user's email is ana@example.test.
/contact/email | Email address (contact) | The user can be reached at liz@example.test.
/contact/phone | Phone number (contact) | The user's phone number is 555 0101.
/home/address | Home address (where they live) | The user's address is 5 Rose Lane, Leeds.
/pets/cats | Cats (pets) | The user has two cats.
/pets/cats | Cats (pets) | The user's household has two cats.
/pets/cats | Cats (pets) | The user and others have two cats.
/pets/cat/name | Cat's name (pets) | The user's cat is called Pixel.
/pets/kitten | Kitten (pets) | The user adopted a grey kitten from the shelter in Leeds.
/pets/dog/thunder | Their dog (pets): what they dislike | The user's dog is afraid of thunder.
/pets/dog | Dog (pets) | The user no longer has a dog.
/family/daughter/name | Daughter's name (family) | The user's daughter is called Mia.
/family/daughter | Their daughter (child, family) | The user has a daughter called Mia.
/family/children | Children (kids, family) | The user has two kids.
/family/sister/city | Their sister (family): where they live | The user's sister lives in Oslo.
/family/sister/baby | Their sister (family): their baby | The user's sister had a baby.
/family/cousin/sailing | Their cousin (family): sports they dislike | The user's cousin Tomas can't stand sailing.
/people/friend/cats | Their friend (people): cat allergy | The user's friend Lena is allergic to cats.
/family/partner | Partner (husband, wife, marriage) | The user is married.
/family/wife/job | Their wife (family): job | The user's wife works as a teacher.
/people/roommate/job | Their roommate (people): job | The user's roommate works as a nurse.
/preferences/answers/length | How long answers should be | The user prefers short, bulleted answers.
/preferences/answers/length | How long answers should be | The user prefers short answers.
/preferences/answers/language | Language of answers | The user wants answers in German.
/preferences/answers/tone | Tone of answers | The user likes a formal tone.
/preferences/drinks/green-tea | Drinks they like | The user likes green tea.
/preferences/music/jazz | Music they like | The user loves live jazz.
/preferences/music/jazz | Music they dislike | The user can't bear jazz.
/preferences/films/horror-films | Films and series they dislike | The user hates horror films.
/preferences/sports/hiking-mountains | Sports they like | The user loves hiking in the mountains.
/preferences/favourites/colour | Favourite colour | The user's favourite colour is green.
/preferences/favourites/food | Favourite food | The user's favourite food is sushi.
/preferences/drinks/tea-coffee | Drinks they prefer | The user prefers tea over coffee.
/preferences/travel/window-seats | Travel they prefer | The user prefers window seats.
/preferences/dislikes/small-talk | What they dislike | The user dislikes small talk.
/plans/porto-trip-2026-03 | Trip to Porto (travel plan) | The user is planning a trip to Porto in March 2026.
/plans/rome-trip-2026-03 | Trip to Rome (travel plan) | The user is flying to Rome on 4 March 2026.
/plans/tokyo-trip | Trip to Tokyo (travel plan) | The user booked a flight to Tokyo.
/plans/japan-trip-2027-05 | Trip to Japan (travel plan) | The user is going to visit Japan in May 2027.
/goals/learning/spanish | What they are learning: Spanish | The user wants to learn Spanish.
/goals/learning/cello | What they are learning: cello | The user is learning to play the cello.
/goals/marathon | Goal: marathon | The user's goal is to run a marathon.
/goals/marathon | Goal: marathon | The user is training for a marathon.
/plans/pottery-class | Plan: pottery class | The user signed up for a pottery class.
/education/studies | What they study (school, university) | The user studies law at Coimbra.
/education/studies | What they study (school, university) | The user is a medical student.
/education/degree | Degree (education, graduation) | The user graduated from college in 2015.
/education/exams/driving-test | Driving test (test, education) | The user has a driving test on 9 March 2026.
/health/injuries/ankle | Ankle injury (health) | The user broke their ankle on 2 March 2026.
/health/injuries/ankle | Ankle injury (health) | On 2 March 2026, the user broke their ankle.
/health/conditions/asthma | Asthma (health, illness) | The user has asthma.
/health/conditions/diabetic | Diabetic (health, illness) | The user is diabetic.
/health/medication/metformin | Medication they take (metformin) | The user takes metformin for their diabetes.
/health/diet | Diet (what they eat) | The user is vegetarian.
/health/diet | Diet (what they eat) | The user does not eat meat.
/health/glasses | Glasses (health) | The user wears glasses.
/plans/dentist-appointment-2026-03 | Dentist appointment | The user has a dentist appointment on 9 March 2026.
/health/sleep | Sleep (health) | The user sleeps badly.
/hobbies/violin | Hobby: violin | The user plays the violin.
/hobbies/chess | Hobby: chess | The user plays chess every Tuesday.
/hobbies/stamps | Hobby: stamps | The user collects stamps.
/skills/swim | Skill: swim | The user can't swim.
/possessions/car | Their car (what they drive) | The user drives a red Volvo.
/possessions/laptop | Their laptop (device) | The user has an old laptop.
/technology/python | Software and tools they use | The user uses Python at work.
/support/order/1234 | Order 1234 (support request) | The user's order 1234 has not arrived yet (said on 3 March 2026).
/support/refund | Refund (support request) | The user needs a refund.
/plans/meeting-anna-2026-03 | Meeting with Anna (plan, appointment) | The user says the meeting with Anna moved to Monday 9 March 2026.
/plans/meeting-anna | Meeting with Anna (plan, appointment) | The user's meeting with Anna moved to Monday.
/purchases/kettle-shop | Purchase: kettle (order) | The user bought a kettle from this shop.
/finance/budget | Budget (money) | The user's budget is 900 euros.
/home/rent | Their rent (home) | The user's rent is 900 euros.
/possessions/car | Their car (what they drive) | The user's car broke down.
/travel/camping-2026-02 | Travel: camping | The user went camping with their kids on the weekend of 28 February 2026.
/travel/rome | Travel: Rome | The user just got back from Rome.
/routine/wakes | Daily routine: wakes up | The user usually wakes up at six.
/learning/gaps/recursion | What they find hard: recursion | The user struggles with recursion.
/hobbies/volunteering | Volunteering (hobby) | The user volunteers at a food bank.
/hobbies/guitar | Hobby: guitar | The user has been playing the guitar since 2010.
/work/team | Their team (work) | The user's team has five people.
/health/smoking | Smoking | The user quit smoking.
/family/partner | Partner (husband, wife, marriage) | The user is getting married in June 2026.
/identity/size | Clothes and shoe size | The user wears size 42 shoes.
/home/garden | Garden (home) | The user has a garden with apple trees.
/travel/camping | Travel: camping | The user and others went camping.
/home/city | Where they live (home, city, town, address) | The user's household lives in Porto.
/plans/deadline | Deadline (plan, appointment) | The user's deadline is Monday.
/home/landlord | Their landlord (home) | The user's landlord wants to sell the house.
/work/past/cook | Earlier job (work) | The user used to work as a cook.
/work/career | Career news (job, work) | The user has a job interview on 9 March 2026.
/health/mood | How they feel (mood) | The user is stressed about exams.
/work/career | Career news (job, work) | The user lost their job.
/family/mother/died | Their mother (family) | The user's mother died in 2019.
/family/grandmother/taught-knit | Their grandmother (family) | The user's grandmother taught them to knit.
/contact/reach | How to reach them (contact) | The user prefers to be contacted by email.
/culture/anime | What they read, watch and hear | The user watches a lot of anime.
/culture/dune | What they read, watch and hear | The user is reading Dune.
/food/cooks-thai | Food: cooks Thai food | The user cooks Thai food on Sundays.
/culture/netflix-subscription | Culture: Netflix subscription | The user has a Netflix subscription.
"""
ROWS = [tuple(line.split(" | ")) for line in CASES.strip().splitlines()]
